// Reads random pages and writes what is known of each as a line of JSON:
// `node bench/grade/read-draws.ts SEED COUNT FILE [SEVERITY]`. SEVERITY is the most that pages are damaged, default 1.
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../test/support/random.ts'
import { readDraw } from '../../test/support/mixed-pages/read-draw.ts'

const [seed = NaN, count = NaN] = process.argv.slice(2, 4).map(Number)
const [, , , , file, most = '1'] = process.argv
if (!Number.isInteger(seed) || !Number.isInteger(count) || file === undefined) {
  console.error('usage: node bench/grade/read-draws.ts SEED COUNT FILE [SEVERITY]')
  process.exit(1)
}
const folder = await mkdtemp(join(tmpdir(), 'grade-'))
try {
  for (let index = 0; index < count; index += 1) {
    const severity = 1 + new Random(seed + index).next() * (Number(most) - 1)
    appendFileSync(file, `${JSON.stringify(await readDraw(seed + index, folder, severity))}\n`)
  }
} finally {
  await rm(folder, { recursive: true })
}
