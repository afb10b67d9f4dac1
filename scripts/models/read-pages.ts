// Reads generated pages with the engine and appends the result of each as a line of JSON: `node
// scripts/models/read-pages.ts SEED COUNT FILE [born-digital|scanned|all] [SEVERITY]`. Skips seeds that FILE already
// has. Scanned pages get damage with a severity of 1 to SEVERITY, default 5 (`damaged`): the engine reads most pages of
// archives, and a router is judged on the rest. Omits sheets that the damage left white or black all over.
import { appendFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isBornDigital } from '../../test/support/mixed-pages/born-digital.ts'
import { kindOf } from '../../test/support/mixed-pages/random-page.ts'
import { readDraw } from '../../test/support/mixed-pages/read-draw.ts'
import { Random } from '../../test/support/random.ts'
import { linesOf } from './lines-of.ts'

const [seed = NaN, count = NaN] = process.argv.slice(2, 4).map(Number)
const [, , , , file, wanted = 'all', mostSevere = '5'] = process.argv
if (!Number.isInteger(seed) || !Number.isInteger(count) || file === undefined) {
  console.error('usage: node scripts/models/read-pages.ts SEED COUNT FILE [born-digital|scanned|all] [SEVERITY]')
  process.exit(1)
}
const known = new Set((existsSync(file) ? linesOf(file) : []).map((page) => page.seed))
const folder = await mkdtemp(join(tmpdir(), 'route-'))
try {
  for (let at = seed; at < seed + count; at += 1) {
    const kind = isBornDigital(kindOf(at)) ? 'born-digital' : 'scanned'
    if (known.has(at) || (wanted !== 'all' && wanted !== kind)) continue
    const severity = 1 + new Random(at).next() * (Number(mostSevere) - 1)
    const draw = await readDraw(at, folder, severity)
    if (draw.showsPrint) appendFileSync(file, `${JSON.stringify(draw)}\n`)
  }
} finally {
  await rm(folder, { recursive: true })
}
