/**
 * npm run bench:pipeline: 4,000 files of 20 KB through the real worker, beside a bare undici loop over the same files,
 * in turn in the same run (ratio of medians of 5), then four uploads of 49 MiB at once. Last line: one JSON object.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const FILES = 4_000
const FILE_BYTES = 20_000
const ROUNDS = 5
const BIG_FILES = 4
const BIG_BYTES = 49 * 1024 * 1024
const run = promisify(execFile)
const here = (name: string): string => join(import.meta.dirname, name)

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
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

async function timed(script: string, source: string, ...more: string[]): Promise<Record<string, number>> {
  const out = await mkdtemp(join(folder, 'out-'))
  const { stdout } = await run(process.execPath, [here(script), url, source, out, ...more], { maxBuffer: 1e8 })
  await rm(out, { recursive: true, force: true })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, number>
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

try {
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()
      .map((value) => value.toFixed(1))
      .join(' ')}`,
  )
  const source = join(folder, 'source')
  await makeFiles(source, FILES, FILE_BYTES)
  const ours: number[] = []
  const bare: number[] = []
  let peakMb = 0
  for (let round = 0; round < ROUNDS; round++) {
    const [loop, sluice] = [await timed('bare-loop.ts', source), await timed('sluice-run.ts', source)]
    bare.push(loop['docs_per_s'] ?? 0)
    ours.push(sluice['docs_per_s'] ?? 0)
    peakMb = Math.max(peakMb, sluice['rss_mb'] ?? 0)
    console.log(
      `round ${round + 1}: bare loop ${loop['docs_per_s']?.toFixed(0)}/s, sluice ${sluice['docs_per_s']?.toFixed(0)}/s, peak ${sluice['rss_mb']?.toFixed(0)} MB`,
    )
  }
  const big = join(folder, 'big')
  await makeFiles(big, BIG_FILES, BIG_BYTES)
  const upload = await timed('sluice-run.ts', big, String(BIG_FILES))
  const growth = (upload['rss_mb'] ?? 0) - (upload['rss_at_start_mb'] ?? 0)
  console.log(`four uploads of 49 MiB at once: resident memory grew by ${growth.toFixed(0)} MB`)
  const ratio = median(ours) / median(bare)
  console.log(
    JSON.stringify({
      ratio: Number(ratio.toFixed(3)),
      docs_per_s: Math.round(median(ours)),
      rss_mb: Math.round(peakMb),
      four_uploads_mb: Math.round(growth),
    }),
  )
} finally {
  service.stdin.end()
  await rm(folder, { recursive: true, force: true })
}
