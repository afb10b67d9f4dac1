/**
 * npm run bench -- pipeline: 4,000 files of 20 KB through `sluice run` with its default settings, beside bare loops over the same
 * files, in turn in the same run (medians of 9 rounds; bare-loop.ts says what they do). Then the same run again with nothing to do,
 * beside `rclone copy` where that is installed, and four uploads of 49 MiB at once. All are whole commands, with their start;
 * processor time is that of all their processes. Last line: one JSON object. `ratio` is against the loop that writes as durably
 * as Sluice does, `ratio_plain` against one that may lose what it wrote when the machine stops. No round begins that would end
 * after `--minutes` (8); `rounds` says how many there were.
 *
 * --flush-ms=5: as on a disk where each flush takes so much longer (needs a C compiler): 1,500 files, and the
 * flushes of each document; no large files. Fewer files or rounds: --files=500 --rounds=1. Another launcher, as of an
 * installed package: --sluice=PATH.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { measuredRun } from '../support/measured-run.ts'
import { quantile } from '../support/statistics.ts'
import { ScriptCalls } from './script-calls.ts'
import { SlowDisk } from './slow-disk.ts'

const ROOT = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    files: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    minutes: { type: 'string', default: '8' },
    'flush-ms': { type: 'string' },
    sluice: { type: 'string', default: join(ROOT, 'sluice') },
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

// What a contender wrote stays until the end: where a file system has no journal, making a file passes over each that was removed
// within the last minute, one by one, which would be charged to the next contender.
const freshFolder = (): Promise<string> => mkdtemp(join(folder, 'out-'))

async function measured(command: readonly string[], files: number): Promise<Figures> {
  const scripts = new ScriptCalls()
  const { seconds, cpuMs, peakMb } = await measuredRun(command, { PARSE_API_KEY: 'none', ...disk?.env }, (pids) =>
    scripts.ask(pids),
  )
  return {
    docs_per_s: files / seconds,
    cpu_ms: cpuMs,
    cpu_ms_per_doc: cpuMs / files,
    script_calls_per_doc: scripts.calls / files,
    rss_mb: peakMb,
    ...(disk === null ? {} : { flushes_per_doc: (await disk.flushes()) / files }),
  }
}

/** With the flags that the launcher gives the worker. */
async function bareLoop(source: string, how: 'durable' | 'queued' | 'plain'): Promise<Figures> {
  const loop = [here('bare-loop.ts'), url, source, await freshFolder(), how]
  return measured(['sh', join(ROOT, 'scripts/run-node.sh'), ...loop], FILES)
}

const sluiceRun = (source: string, out: string, files: number): Promise<Figures> =>
  measured([values.sluice, 'run', source, '--out', out, '--parse-api-url', url], files)

const medianOf = (rounds: readonly Figures[], name: string): number =>
  quantile(
    rounds.map((figures) => figures[name] ?? Number.NaN),
    0.5,
  )
const load = (): string => loadavg()[0]?.toFixed(1) ?? ''
const shown = (figures: Figures): string =>
  `${figures['docs_per_s']?.toFixed(0)}/s (${figures['cpu_ms_per_doc']?.toFixed(2)} ms of CPU` +
  (disk === null ? ')' : `, ${figures['flushes_per_doc']?.toFixed(2)} flushes)`)

/** How much more memory four large uploads at once take than four small ones. */
async function uploadGrowth(): Promise<number> {
  const peaks: number[] = []
  for (const bytes of [FILE_BYTES, BIG_BYTES]) {
    const source = await freshFolder()
    await makeFiles(source, BIG_FILES, bytes)
    const figures = await sluiceRun(source, await freshFolder(), BIG_FILES)
    peaks.push(figures['rss_mb'] ?? Number.NaN)
  }
  const growth = (peaks[1] ?? 0) - (peaks[0] ?? 0)
  console.log(`four uploads of 49 MiB at once: resident memory grew by ${growth.toFixed(0)} MB`)
  return growth
}

/** Processor time in ms of a run with nothing to do, and of `rclone copy` with nothing to do, where it is there. */
async function unchanged(source: string, out: string): Promise<Figures> {
  const copy = ['rclone', 'copy', source, await freshFolder()]
  const hasRclone = await run('rclone', ['version']).then(
    () => true,
    () => false,
  )
  if (hasRclone) await measured(copy, FILES)
  const rounds: Figures[] = []
  for (let round = 0; round < 5; round++) {
    const ours = await sluiceRun(source, out, FILES)
    const theirs = hasRclone ? await measured(copy, FILES) : { cpu_ms: Number.NaN }
    rounds.push({ sluice: ours['cpu_ms'] ?? Number.NaN, rclone: theirs['cpu_ms'] ?? Number.NaN })
  }
  const [sluice, rclone] = [medianOf(rounds, 'sluice'), medianOf(rounds, 'rclone')]
  console.log(`${FILES} unchanged files: ${sluice.toFixed(0)} ms of CPU, rclone copy ${rclone.toFixed(0)} ms`)
  return { unchanged_cpu_ms: sluice, ...(hasRclone ? { rclone_cpu_ms: rclone } : {}) }
}

const minutes = (): number => (performance.now() - BEGAN) / 60_000

/** Each contender once a round, in turn, as long as the time allows another round. */
async function measureRounds(
  contenders: Readonly<Record<string, () => Promise<Figures>>>,
): Promise<Readonly<Record<string, Figures[]>>> {
  const all: Record<string, Figures[]> = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  let longest = 0
  for (let round = 1; round <= ROUNDS && minutes() + longest < MINUTES; round++) {
    const began = minutes()
    const parts: string[] = []
    for (const [name, measure] of Object.entries(contenders)) {
      const figures = await measure()
      all[name]?.push(figures)
      parts.push(`${name} ${shown(figures)}`)
    }
    longest = Math.max(longest, minutes() - began)
    console.log(`round ${round}, load ${load()}: ${parts.join('; ')}`)
  }
  return all
}

try {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${load()}`)
  const source = join(folder, 'source')
  await makeFiles(source, FILES, FILE_BYTES)
  let last = ''
  const rounds = await measureRounds({
    durable: () => bareLoop(source, 'durable'),
    queued: () => bareLoop(source, 'queued'),
    sluice: async () => sluiceRun(source, (last = await freshFolder()), FILES),
    plain: () => bareLoop(source, 'plain'),
  })
  const besides: Figures =
    disk === null ? { ...(await unchanged(source, last)), four_uploads_mb: await uploadGrowth() } : {}
  const rateOf = (name: string): number => medianOf(rounds[name] ?? [], 'docs_per_s')
  const ours = rounds['sluice'] ?? []
  const medians = Object.entries(rounds).map(([name, figures]) => {
    const of = (figure: string, digits: number): number => Number(medianOf(figures, figure).toFixed(digits))
    const calls = of('script_calls_per_doc', 2)
    return [
      name,
      {
        docs_per_s: of('docs_per_s', 0),
        cpu_ms_per_doc: of('cpu_ms_per_doc', 2),
        ...(calls > 0 ? { script_calls_per_doc: calls } : {}),
      },
    ] as const
  })
  console.log(
    JSON.stringify({
      ratio: Number((rateOf('sluice') / rateOf('durable')).toFixed(3)),
      ratio_plain: Number((rateOf('sluice') / rateOf('plain')).toFixed(3)),
      docs_per_s: Math.round(rateOf('sluice')),
      cpu_ms_per_doc: Number(medianOf(ours, 'cpu_ms_per_doc').toFixed(2)),
      script_calls_per_doc: Number(medianOf(ours, 'script_calls_per_doc').toFixed(2)),
      rss_mb: Math.round(Math.max(...ours.map((figures) => figures['rss_mb'] ?? Number.NaN))),
      ...Object.fromEntries(Object.entries(besides).map(([name, value]) => [name, Math.round(value)])),
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
