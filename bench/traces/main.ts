/**
 * npm run bench:traces -- [--files N] [--rounds N] [--against CHECKOUT]
 *
 * What traces cost a worker: processor time per document through the real worker without a collector, with one, and with
 * one for a tenth of the documents, in turn in each round, on the same files and an instant service. `--against`: a checkout of
 * another commit, with its packages installed, measured beside without a collector. Last line: one JSON object, medians
 * of milliseconds per document, and the median of the differences within a round.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { parseArgs, promisify } from 'node:util'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1500' },
    rounds: { type: 'string', default: '5' },
    against: { type: 'string' },
  },
})
const FILES = Number(values.files)
const FILE_BYTES = 20_000
const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

await using resources = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'sluice-traces-'))
resources.defer(() => rm(folder, { recursive: true, force: true }))
const service = spawn(process.execPath, [join(ROOT, 'bench/pipeline/instant-service.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
resources.defer(() => void service.stdin.end())
const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }

let spans = 0
const collector = createServer((request, response) => {
  const keep = async (): Promise<void> => {
    spans += (await text(request)).split('"traceId"').length - 1
    response.end('{}')
  }
  void keep()
}).listen(0, '127.0.0.1')
resources.defer(() => void collector.close())
await once(collector, 'listening')
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const source = join(folder, 'source')
await mkdir(source)
for (let number = 0; number < FILES; number++) {
  const head = `<!doctype html><title>${number}</title><p>`
  await writeFile(join(source, `${number}.html`), head + 'x'.repeat(FILE_BYTES - head.length))
}

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
const TENTH = { ...ON, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
const WAYS: Readonly<Record<string, { readonly root: string; readonly env: Readonly<Record<string, string>> }>> = {
  off: { root: ROOT, env: {} },
  ...(values.against === undefined ? {} : { against: { root: resolve(values.against), env: {} } }),
  on: { root: ROOT, env: ON },
  tenth: { root: ROOT, env: TENTH },
}

async function cpuPerDocument({ root, env }: (typeof WAYS)[string]): Promise<number> {
  const out = await mkdtemp(join(folder, 'out-'))
  const args = [join(root, 'scripts/run-node.sh'), join(root, 'bench/pipeline/sluice-run.ts'), url, source, out]
  const { stdout } = await run('sh', args, { cwd: root, env: { ...process.env, ...env }, maxBuffer: 1e8 })
  await rm(out, { recursive: true, force: true })
  return Number((JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, number>)['cpu_ms_per_doc'])
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

const names = Object.keys(WAYS)
const rounds: Record<string, number>[] = []
for (let round = 1; round <= Number(values.rounds); round++) {
  const figures: Record<string, number> = {}
  // Not always the same one is the first.
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    figures[name] = await cpuPerDocument(WAYS[name] as (typeof WAYS)[string])
  }
  rounds.push(figures)
  console.log(`round ${round}: ${names.map((name) => `${name} ${figures[name]?.toFixed(2)} ms`).join(', ')}`)
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? Number.NaN))
const more = (name: string): number =>
  median(rounds.map((figures) => (figures[name] ?? Number.NaN) - (figures['off'] ?? Number.NaN)))
const rounded = (figures: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(figures.map(([name, value]) => [name, Number(value.toFixed(3))]))
console.log(
  JSON.stringify({
    cpu_ms_per_doc: rounded(names.map((name) => [name, of(name)])),
    more_than_off_ms: rounded(names.filter((name) => name !== 'off').map((name) => [name, more(name)])),
    spans_per_doc: Number((spans / FILES / rounds.length / 1.1).toFixed(2)),
  }),
)
