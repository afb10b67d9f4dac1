// Sends every file of a folder to the engine and says how each ended: `node bench/odd-files/main.ts FOLDER [--mode fast]
// [--only pdf,docx] [--from N] [--count N] [--json FILE]`. A success that reports no problem is compared with what pdftotext
// reads and with what tesseract sees on its empty pages; both must be on the PATH for PDFs.
import { appendFileSync, readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEngine } from '../../test/engine/support/engine-process.ts'
import { lostOf } from './judge.ts'
import { PeakMemory } from './peak-memory.ts'
import { send } from './send.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'auto' },
    only: { type: 'string' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100000' },
    json: { type: 'string' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error(
    'usage: node bench/odd-files/main.ts FOLDER [--mode auto|fast|ocr] [--only pdf,docx] [--from N] [--count N] [--json FILE]',
  )
  process.exit(1)
}
const wanted = values.only?.split(',')
const from = Number(values.from)
const files = readdirSync(folder)
  .filter((name) => wanted === undefined || wanted.includes(extname(name).slice(1).toLowerCase()))
  .sort()
  .slice(from, from + Number(values.count))

await using engine = { ...(await startEngine(['--children', '1'])), [Symbol.asyncDispose]: () => engine.stop() }
const memory = new PeakMemory(engine.pid)
const ends = new Map<string, number>()
const silent: string[] = []
let [highest, slowest] = [0, 0]
for (const name of files) {
  const path = join(folder, name)
  memory.begin()
  const answer = await send(engine.url, path, values.mode)
  const peakMb = Math.round(memory.end() / 1024 ** 2)
  const end =
    answer.status === 200 ? (answer.problems.length > 0 ? '200 partial' : '200 ok') : `${answer.status} ${answer.code}`
  const lost = answer.status === 200 ? await lostOf(path, answer) : []
  ends.set(end, (ends.get(end) ?? 0) + 1)
  highest = Math.max(highest, peakMb)
  slowest = Math.max(slowest, answer.seconds)
  if (lost.length > 0) silent.push(`${name}: ${lost.join('; ')}`)
  if (values.json !== undefined) {
    const { markdown, pages, ...rest } = answer
    appendFileSync(
      values.json,
      `${JSON.stringify({ name: basename(path), end, ...rest, letters: markdown.length, pages: pages.length, peakMb, lost })}\n`,
    )
  }
}
memory.stop()
for (const [end, count] of [...ends].sort((a, b) => b[1] - a[1])) console.log(`${String(count).padStart(5)} ${end}`)
console.log(`${files.length} files, slowest ${slowest.toFixed(1)} s, a child's highest resident memory ${highest} MB`)
console.log(`${silent.length} successes lack text and do not say so${silent.length > 0 ? ':' : ''}`)
for (const line of silent) console.log(`  ${line}`)
