import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ScriptedService } from '../../test/support/scripted-service.ts'

/*
 * `npm run bench:progress`: when the first progress line stands on a terminal of 80 columns, in ms after the listing of a
 * large folder began. The listing's begin is the end that the log states, less the duration that it states. `--files N`
 * (100,000), `--rounds N` (5). The last line is JSON.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const PER_FOLDER = 1_000
const numberOf = (flag: string, otherwise: number): number => {
  const at = process.argv.indexOf(flag)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const files = numberOf('--files', 100_000)
const rounds = numberOf('--rounds', 5)

interface Round {
  /** After the start of the process. */
  readonly listingMs: number
  /** After the begin of the listing; negative where the line, with no document yet, stood there before. */
  readonly firstLineMs: number
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

await using service = await new ScriptedService({ answers: () => ({ delayMs: 60_000 }) }).listen()
const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-progress-'))
try {
  await fill(join(folder, 'papers'))
  const results: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    const result = await oneRound(round)
    console.log(`listing begins after ${result.listingMs} ms, progress ${result.firstLineMs} ms after that`)
    results.push(result)
  }
  const median = (of: keyof Round): number =>
    results.map((each) => each[of]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  const worstMs = Math.max(...results.map(({ firstLineMs }) => firstLineMs))
  console.log(
    JSON.stringify({
      files,
      rounds,
      listingMs: median('listingMs'),
      firstLineMs: median('firstLineMs'),
      worstMs,
      limitMs: 300,
    }),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function fill(papers: string): Promise<void> {
  for (let from = 0; from < files; from += PER_FOLDER) {
    const below = join(papers, String(from / PER_FOLDER))
    await mkdir(below, { recursive: true })
    const names = Array.from({ length: Math.min(PER_FOLDER, files - from) }, (_, at) => `${from + at}.csv`)
    await Promise.all(names.map((name) => writeFile(join(below, name), `a,b\n${name},1\n`)))
  }
}

/** Starts a run on a terminal, notes when its first progress line comes, and stops it after its listing. */
async function oneRound(round: number): Promise<Round> {
  const log = join(folder, `${round}.log`)
  const locations = [join(folder, 'papers'), '--out', join(folder, `out-${round}`), '--log-file', log]
  const api = ['--parse-api-url', service.url, '--parse-api-key', 'k', '--grace', '1s']
  const words = [join(ROOT, 'sluice'), 'run', ...locations, ...api].map(quoted).join(' ')
  const startedAt = Date.now()
  const child = spawn('script', ['-qefc', `stty cols 80 rows 24; exec ${words}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let text = ''
  let firstAt: number | null = null
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (firstAt === null && /listing: [\d,]+ so far/.test(text)) firstAt = Date.now()
  })
  const ended = once(child, 'close')
  let begunAt: number | null = null
  for (const until = Date.now() + 120_000; begunAt === null && Date.now() < until;) {
    await new Promise((done) => setTimeout(done, 100))
    begunAt = await listingBegan(log)
  }
  child.stdin.write('\u0003\u0003')
  await Promise.race([ended, new Promise((done) => setTimeout(done, 15_000))])
  child.kill('SIGKILL')
  if (begunAt === null || firstAt === null) throw new Error(`no progress line: ${text.slice(-400)}`)
  return { listingMs: begunAt - startedAt, firstLineMs: firstAt - begunAt }
}

/** Epoch milliseconds; null while the listing has not ended. */
async function listingBegan(log: string): Promise<number | null> {
  const text = await readFile(log, 'utf8').catch(() => '')
  const line = text.split('\n').find((each) => each.includes('"scan finished"'))
  if (line === undefined) return null
  const { time, durationMs } = JSON.parse(line) as { readonly time: string | number; readonly durationMs: number }
  return Math.round(new Date(time).getTime() - durationMs)
}
