// Converts a generated file of each shape with the engine and prints time, processor time of the engine, the children's highest memory and what is kept:
// `node bench/large-files/main.ts [--mb 49] [--seed N] [--only NAME]`. The last line is JSON.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEngine } from '../../test/engine/support/engine-process.ts'
import { Random } from '../../test/support/random.ts'
import { PeakMemory } from '../odd-files/peak-memory.ts'
import { send } from '../odd-files/send.ts'
import { ProcessorTime } from './processor-time.ts'
import { SHAPES, type Shape } from './shapes.ts'

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '49' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
  },
})
const size = Number(values.mb) * 1e6
const folder = mkdtempSync(join(tmpdir(), 'sluice-large-'))

/** Writes the file; returns its marks. */
async function write(shape: Shape, path: string): Promise<string[]> {
  const random = new Random(Number(values.seed))
  const marks: string[] = []
  const pieces = [shape.head]
  for (let bytes = 0; bytes < size;) {
    marks.push(`mark${marks.length}x`)
    const piece = shape.next(marks.at(-1) ?? '', random)
    bytes += Buffer.byteLength(piece, shape.encoding)
    pieces.push(piece)
  }
  await writeFile(path, Buffer.from(pieces.join('') + shape.tail, shape.encoding))
  return marks
}

await using engine = { ...(await startEngine(['--children', '1'])), [Symbol.asyncDispose]: () => engine.stop() }
const memory = new PeakMemory(engine.pid)
const processor = new ProcessorTime(engine.pid)
const rows = []
for (const shape of SHAPES.filter(({ name }) => values.only === undefined || name === values.only)) {
  const path = join(folder, `large.${shape.extension}`)
  const marks = await write(shape, path)
  memory.begin()
  const before = processor.seconds()
  const { status, code, markdown, seconds, problems } = await send(engine.url, path, 'auto')
  const peakMb = Math.round(memory.end() / 1024 ** 2)
  const cpuSeconds = processor.seconds() - before
  const found = new Set(markdown.match(/mark\d+x/g))
  const kept = marks.filter((mark) => found.has(mark)).length / marks.length
  const row = {
    shape: `${shape.extension}: ${shape.name}`,
    mb: statSync(path).size / 1e6,
    status,
    code,
    seconds,
    cpuSeconds,
    peakMb,
    kept,
  }
  rows.push(row)
  const end = status === 200 ? `kept ${(100 * kept).toFixed(2)} %` : `${status} ${code}`
  console.log(
    `${row.shape.padEnd(32)} ${row.mb.toFixed(1)} MB  ${seconds.toFixed(1).padStart(5)} s, ${cpuSeconds.toFixed(1).padStart(5)} s of processor  ${peakMb} MB  ${end} ${problems.join('; ')}`,
  )
}
memory.stop()
processor.stop()
rmSync(folder, { recursive: true })
const worst = {
  seconds: Math.max(...rows.map(({ seconds }) => seconds)),
  cpuSeconds: Math.max(...rows.map(({ cpuSeconds }) => cpuSeconds)),
  peakMb: Math.max(...rows.map(({ peakMb }) => peakMb)),
}
console.log(JSON.stringify({ seed: Number(values.seed), worst, rows }))
