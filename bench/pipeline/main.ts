/**
 * npm run bench:pipeline: 4,000 files of 20 KB through the real worker, beside a bare undici loop over the same files,
 * in turn in the same run (ratio of medians of 5), then four uploads of 49 MiB at once. Last line: one JSON object.
 * `ratio` is against the loop that writes as durably as Sluice does, `ratio_plain` against one that may lose what it
 * wrote when the machine stops. Fewer files or rounds for a quick look: --files=500 --rounds=1. --flush-ms=5: as on a disk
 * where each flush takes so much longer (needs a C compiler); it also counts the flushes of each document, and leaves out the
 * large files.
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
    files: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    'flush-ms': { type: 'string' },
  },
})
const FILES = Number(values.files)
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
  await rm(out, { recursive: true, force: true })
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

try {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${load()}`)
  const source = join(folder, 'source')
  await makeFiles(source, FILES, FILE_BYTES)
  const [ours, durable, plain]: [Figures[], Figures[], Figures[]] = [[], [], []]
  for (let round = 1; round <= ROUNDS; round++) {
    const bare = await bareLoop(source, 'durable')
    const sluice = await sluiceRun(source)
    const loose = await bareLoop(source, 'plain')
    durable.push(bare)
    ours.push(sluice)
    plain.push(loose)
    console.log(
      `round ${round}, load ${load()}: bare loop, durable ${shown(bare)}, plain ${shown(loose)}; ` +
        `sluice ${shown(sluice)}, peak ${sluice['rss_mb']?.toFixed(0)} MB`,
    )
  }
  const growth = disk === null ? await uploadGrowth() : null
  const rate = medianOf(ours, 'docs_per_s')
  console.log(
    JSON.stringify({
      ratio: Number((rate / medianOf(durable, 'docs_per_s')).toFixed(3)),
      ratio_plain: Number((rate / medianOf(plain, 'docs_per_s')).toFixed(3)),
      docs_per_s: Math.round(rate),
      cpu_ms_per_doc: Number(medianOf(ours, 'cpu_ms_per_doc').toFixed(2)),
      rss_mb: Math.round(Math.max(...ours.map((figures) => figures['rss_mb'] ?? Number.NaN))),
      ...(growth === null ? {} : { four_uploads_mb: Math.round(growth) }),
      ...(disk === null ? {} : { flush_ms: Number(flushMs), flushes_per_doc: medianOf(ours, 'flushes_per_doc') }),
    }),
  )
} finally {
  service.stdin.end()
  await rm(folder, { recursive: true, force: true })
}
