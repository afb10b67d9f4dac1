import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/*
 * `npm run bench -- start`: how long commands take that have nothing to do, beside `node -e 0` on the same Node in the same
 * rounds. Commands are started as users start them, by the launcher. `--rounds N` (7). The last line is JSON.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Most times `node -e 0` that a command may take: 150 and 500 ms where that takes 25 ms. */
const LIMITS = { help: 6, unchanged: 20 }

interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

const roundsAt = process.argv.indexOf('--rounds')
const rounds = Math.max(5, roundsAt === -1 ? 7 : Number(process.argv[roundsAt + 1]))

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-start-'))
try {
  await mkdir(join(folder, 'papers'))
  await cp(join(ROOT, 'samples/lock-faq.htm'), join(folder, 'papers/lock-faq.htm'))
  await bench()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function bench(): Promise<void> {
  const { stdout: node } = await run('sh', [join(ROOT, 'scripts/find-node.sh')])
  const sluice = join(ROOT, 'sluice')
  const pass = [join(folder, 'papers'), '--out', join(folder, 'out')]
  const commands = {
    node: [node.trim(), '-e', '0'],
    help: [sluice, '--help'],
    runHelp: [sluice, 'run', '--help'],
    status: [sluice, 'status', ...pass],
    search: [sluice, 'search', 'lock', '--out', join(folder, 'out')],
    unchanged: [sluice, 'run', ...pass],
  }
  // The first pass converts the document; what Node compiles is kept from then on.
  await cost(commands.unchanged)
  const costs: Record<string, Cost[]> = {}
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, words] of Object.entries(commands)) {
      const measured = await cost(words)
      if (round > 0) (costs[name] ??= []).push(measured)
    }
  }
  report(costs)
}

/** The shell that starts the command counts the processor time of it and of its children. */
async function cost(words: readonly string[]): Promise<Cost> {
  const began = performance.now()
  const { stdout } = await run('sh', ['-c', '"$@" >&2 || exit; times', 'sh', ...words], {
    env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
    cwd: folder,
  })
  const wallMs = performance.now() - began
  const [user = 0, system = 0] = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => (Number(minutes) * 60 + Number(seconds)) * 1000,
  )
  return { wallMs, cpuMs: user + system }
}

function report(costs: Readonly<Record<string, readonly Cost[]>>): void {
  const medianOf = (name: string, of: keyof Cost): number =>
    (costs[name] ?? []).map((each) => each[of]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  const rows = Object.keys(costs).map((name) => ({
    name,
    wallMs: Math.round(medianOf(name, 'wallMs')),
    cpuMs: Math.round(medianOf(name, 'cpuMs')),
    wallRatio: ratio(medianOf(name, 'wallMs'), medianOf('node', 'wallMs')),
    cpuRatio: ratio(medianOf(name, 'cpuMs'), medianOf('node', 'cpuMs')),
  }))
  for (const { name, wallMs, cpuMs, wallRatio, cpuRatio } of rows) {
    console.log(`${name.padEnd(10)} ${wallMs} ms (${wallRatio} x node -e 0), processor ${cpuMs} ms (${cpuRatio} x)`)
  }
  const within = Object.entries(LIMITS).every(([name, limit]) =>
    rows.some((row) => row.name === name && row.wallRatio <= limit),
  )
  console.log(JSON.stringify({ bench: 'start', rounds, limits: LIMITS, within, rows }))
}

function ratio(a: number, b: number): number {
  return Math.round((a / b) * 10) / 10
}
