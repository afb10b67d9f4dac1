/**
 * npm run bench -- pipeline: 4,000 files of 20 KB through the real worker, beside a bare undici loop over the same files,
 * in turn in the same run (medians of 9 rounds), then four uploads of 49 MiB at once. Last line: one JSON object. `ratio`
 * is against the loop that writes as durably as Sluice does, `ratio_plain` against one that may lose what it wrote when
 * the machine stops. No round begins that would end after `--minutes` (8); `rounds` says how many there were.
 *
 * --flush-ms=5: as on a disk where each flush takes so much longer (needs a C compiler): 1,500 files, and the
 * flushes of each document; no large files. Fewer files or rounds: --files=500 --rounds=1.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { SlowDisk } from './slow-disk.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    minutes: { type: 'string', default: '8' },
    'flush-ms': { type: 'string' },
  },
})
const BEGAN = performance.now()
const FILES = Number(values.files ?? (values['flush-ms'] === undefined ? 4000 : 1500))
const MINUTES = Number(values.minutes)
const ROUNDS = Number(values.rounds)
const FILE_BYTES = 20_000
const BIG_FILES = 4
const BIG_BYTES = 49 * 1024 * 1024
const run = promisify(execFile)
const here = (name: string): string => join(import.meta.dirname, name)
/** Gives a script the flags and the environment that the launcher gives the worker. */
const RUN_NODE = join(import.meta.dirname, '../../scripts/run-node.sh')

type Figures = Readonly<Record<string, number>>

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
const flushMs = values['flush-ms']
const disk = flushMs === undefined ? null : await SlowDisk.make(folder, Number(flushMs))
const service = spawn(process.execPath, [here('instant-service.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }

/** Every file is different, so that no receipt saves a request. */
async function makeFiles(into: string, count: number, bytes: number): Promise<void> {
  await mkdir(into, { recursive: true })
  for (let number = 0; number < count; number++) {
    const head = `<!doctype html><title>${number}</title><p>`
    await writeFile(join(into, `${number}.html`), head + 'x'.repeat(bytes - head.length))
  }
}

async function timed(command: readonly string[], source: string, ...more: readonly string[]): Promise<Figures> {
  const out = await mkdtemp(join(folder, 'out-'))
  const [program = '', ...before] = command
  const { stdout } = await run(program, [...before, url, source, out, ...more], {
    maxBuffer: 1e8,
    env: { ...process.env, ...disk?.env },
  })
  // What it wrote stays until the end: where a file system has no journal, making a file passes over each that was removed
  // within the last minute, one by one, which would be charged to the next contender.
  const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures
  return disk === null ? figures : { ...figures, flushes_per_doc: (await disk.flushes()) / FILES }
}

const bareLoop = (source: string, how: 'durable' | 'plain'): Promise<Figures> =>
  timed([process.execPath, here('bare-loop.ts')], source, how)
const sluiceRun = (source: string, ...more: readonly string[]): Promise<Figures> =>
  timed(['sh', RUN_NODE, here('sluice-run.ts')], source, ...more)

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
const medianOf = (rounds: readonly Figures[], name: string): number =>
  median(rounds.map((figures) => figures[name] ?? Number.NaN))
const load = (): string => loadavg()[0]?.toFixed(1) ?? ''
const shown = (figures: Figures): string =>
  `${figures['docs_per_s']?.toFixed(0)}/s (${figures['cpu_ms_per_doc']?.toFixed(2)} ms of CPU` +
  (disk === null ? ')' : `, ${figures['flushes_per_doc']?.toFixed(2)} flushes)`)

/** Resident memory in MB that four large uploads at once take. */
async function uploadGrowth(): Promise<number> {
  const big = join(folder, 'big')
  await makeFiles(big, BIG_FILES, BIG_BYTES)
  const upload = await sluiceRun(big, String(BIG_FILES))
  const growth = (upload['rss_mb'] ?? 0) - (upload['rss_at_start_mb'] ?? 0)
  console.log(`four uploads of 49 MiB at once: resident memory grew by ${growth.toFixed(0)} MB`)
  return growth
}

const minutes = (): number => (performance.now() - BEGAN) / 60_000

/** Each contender once a round, in turn, as long as the time allows another round. */
async function measureRounds(
  contenders: Readonly<Record<string, () => Promise<Figures>>>,
): Promise<Readonly<Record<string, Figures[]>>> {
  const measured: Record<string, Figures[]> = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  let longest = 0
  for (let round = 1; round <= ROUNDS && minutes() + longest < MINUTES; round++) {
    const began = minutes()
    const parts: string[] = []
    for (const [name, measure] of Object.entries(contenders)) {
      const figures = await measure()
      measured[name]?.push(figures)
      parts.push(`${name} ${shown(figures)}`)
    }
    longest = Math.max(longest, minutes() - began)
    console.log(`round ${round}, load ${load()}: ${parts.join('; ')}`)
  }
  return measured
}

try {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${load()}`)
  const source = join(folder, 'source')
  await makeFiles(source, FILES, FILE_BYTES)
  const contenders: Readonly<Record<string, () => Promise<Figures>>> = {
    durable: () => bareLoop(source, 'durable'),
    sluice: () => sluiceRun(source),
    plain: () => bareLoop(source, 'plain'),
  }
  const measured = await measureRounds(contenders)
  const growth = disk === null ? await uploadGrowth() : null
  const rateOf = (name: string): number => medianOf(measured[name] ?? [], 'docs_per_s')
  const ours = measured['sluice'] ?? []
  const medians = Object.entries(measured).map(([name, figures]) => {
    const of = (figure: string, digits: number): number => Number(medianOf(figures, figure).toFixed(digits))
    return [name, { docs_per_s: of('docs_per_s', 0), cpu_ms_per_doc: of('cpu_ms_per_doc', 2) }] as const
  })
  console.log(
    JSON.stringify({
      ratio: Number((rateOf('sluice') / rateOf('durable')).toFixed(3)),
      ratio_plain: Number((rateOf('sluice') / rateOf('plain')).toFixed(3)),
      docs_per_s: Math.round(rateOf('sluice')),
      cpu_ms_per_doc: Number(medianOf(ours, 'cpu_ms_per_doc').toFixed(2)),
      rss_mb: Math.round(Math.max(...ours.map((figures) => figures['rss_mb'] ?? Number.NaN))),
      ...(growth === null ? {} : { four_uploads_mb: Math.round(growth) }),
      ...(disk === null ? {} : { flush_ms: Number(flushMs), flushes_per_doc: medianOf(ours, 'flushes_per_doc') }),
      medians: Object.fromEntries(medians),
      rounds: ours.length,
      files: FILES,
      minutes: Number(minutes().toFixed(1)),
    }),
  )
} finally {
  service.stdin.end()
  await rm(folder, { recursive: true, force: true })
}
