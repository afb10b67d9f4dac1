// Reads random pages and writes what is known of each as a line of JSON: `node bench/grade/read-draws.ts SEED COUNT FILE`.
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDraw } from '../../test/support/mixed-pages/read-draw.ts'

const [seed = NaN, count = NaN] = process.argv.slice(2, 4).map(Number)
const [, , , , file] = process.argv
if (!Number.isInteger(seed) || !Number.isInteger(count) || file === undefined) {
  console.error('usage: node bench/grade/read-draws.ts SEED COUNT FILE')
  process.exit(1)
}
const folder = await mkdtemp(join(tmpdir(), 'grade-'))
try {
  for (let index = 0; index < count; index += 1) {
    appendFileSync(file, `${JSON.stringify(await readDraw(seed + index, folder))}\n`)
  }
} finally {
  await rm(folder, { recursive: true })
}
