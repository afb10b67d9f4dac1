/**
 * npm run bench:sizes -- [--rounds 3] [--minutes 8] [--processes 1,2,4] [--sizes 1KB,20KB,1MB,20MB]
 *
 * Documents and megabytes a second by size of the files: the worker in one or several processes that share a Redis,
 * beside the bare loop that writes as durably, `cp` with `sync`, `cp` with `sync` and `sha256sum`, and `rclone copy` where
 * it is on the PATH. In turn in the same run; medians of the rounds. No round begins that would end after `--minutes`.
 * Last line: JSON.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { startTestRedis } from '../../test/support/redis.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '8' },
    processes: { type: 'string', default: '1,2,4' },
    sizes: { type: 'string', default: '1KB,20KB,1MB,20MB' },
  },
})
/** Bytes of a file, and how many files: enough for a second or more. */
const SIZES: Readonly<Record<string, readonly [bytes: number, files: number]>> = {
  '1KB': [1_000, 2_000],
  '20KB': [20_000, 2_000],
  '1MB': [1_000_000, 150],
  '20MB': [20_000_000, 16],
}
const BEGAN = performance.now()
const run = promisify(execFile)
const here = (name: string): string => join(import.meta.dirname, name)
const RUN_NODE = here('../../scripts/run-node.sh')

await using resources = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'sluice-sizes-'))
resources.defer(() => rm(folder, { recursive: true, force: true }))
const service = spawn(process.execPath, [here('instant-service.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
resources.defer(() => void service.stdin.end())
const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }
const hasRclone = await run('rclone', ['version']).then(
  () => true,
  () => false,
)
if (!hasRclone) console.log('rclone is not on the PATH: left out')

const names = values.sizes.split(',')
for (const name of names) await makeFiles(name)
const seconds = new Map<string, number[]>()
const minutes = (): number => (performance.now() - BEGAN) / 60_000
let longest = 0
for (let round = 1; round <= Number(values.rounds) && minutes() + longest < Number(values.minutes); round++) {
  const began = minutes()
  for (const name of names) await measure(name)
  longest = Math.max(longest, minutes() - began)
  console.log(`round ${round}, load ${loadavg()[0]?.toFixed(1)}, ${longest.toFixed(1)} minutes`)
}
report()

async function makeFiles(name: string): Promise<void> {
  const [bytes, files] = SIZES[name] ?? [0, 0]
  if (files === 0) throw new Error(`--sizes: ${name} is none of ${Object.keys(SIZES).join(', ')}`)
  await mkdir(join(folder, name))
  for (let number = 0; number < files; number++) {
    const head = `<!doctype html><title>${number}</title><p>`
    await writeFile(join(folder, name, `${number}.html`), head + 'x'.repeat(bytes - head.length))
  }
}

async function measure(name: string): Promise<void> {
  const source = join(folder, name)
  const contenders: Readonly<Record<string, (out: string) => Promise<number>>> = {
    'bare loop': async (out) =>
      secondsOf(await run(process.execPath, [here('bare-loop.ts'), url, source, out, 'durable'])),
    ...Object.fromEntries(
      values.processes
        .split(',')
        .map((count) => [`sluice × ${count}`, (out: string) => sluice(source, out, Number(count))]),
    ),
    'cp, sync': (out) => timed(`cp -r "$1" "$2" && sync -f "$2"`, source, out),
    'cp, sync, sha256sum': (out) =>
      timed(`cp -r "$1" "$2" && sync -f "$2" && find "$1" -type f -exec sha256sum {} + >/dev/null`, source, out),
    ...(hasRclone
      ? {
          rclone: (out: string) =>
            timed('rclone copy --transfers 8 --checkers 8 "$1" "$2" && sync -f "$2"', source, out),
        }
      : {}),
  }
  for (const [contender, take] of Object.entries(contenders)) {
    const out = await mkdtemp(join(folder, 'out-'))
    const key = `${name} ${contender}`
    seconds.set(key, [...(seconds.get(key) ?? []), await take(out)])
    // What was written stays until the end, as in `npm run bench:pipeline`.
  }
}

/** Processes that share a Redis and a store; each scans, as each `run` does. The last one to end counts. */
async function sluice(source: string, out: string, processes: number): Promise<number> {
  await using redis = await startTestRedis()
  const further = JSON.stringify({ redisUrl: redis.url })
  const one = async (): Promise<number> =>
    secondsOf(await run('sh', [RUN_NODE, here('sluice-run.ts'), url, source, out, '50', further]))
  return Math.max(...(await Promise.all(Array.from({ length: processes }, one))))
}

function secondsOf({ stdout }: { readonly stdout: string }): number {
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { readonly seconds: number }).seconds
}

async function timed(script: string, source: string, out: string): Promise<number> {
  const began = performance.now()
  await run('sh', ['-c', script, 'sh', source, out])
  return (performance.now() - began) / 1000
}

function report(): void {
  const rows = [...seconds].map(([key, all]) => {
    const [name = ''] = key.split(' ')
    const [bytes, files] = SIZES[name] ?? [0, 0]
    const median = all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN
    return {
      contender: key,
      filesPerS: Math.round(files / median),
      mbPerS: Math.round((files * bytes) / median / 1e5) / 10,
    }
  })
  for (const { contender, filesPerS, mbPerS } of rows) console.log(`${contender}: ${filesPerS} files/s, ${mbPerS} MB/s`)
  console.log(
    JSON.stringify({ bench: 'sizes', rounds: [...seconds.values()][0]?.length ?? 0, minutes: minutes(), rows }),
  )
}
