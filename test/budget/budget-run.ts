import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readStoreOutside } from '../faults/store-outside.ts'
import { openStoreFiles } from '../faults/store-files.ts'
import type { Bundle } from '../support/bundled.ts'
import { temporaryFolder } from '../support/folder.ts'
import { Random } from '../support/random.ts'
import type { TestRedis } from '../support/redis.ts'
import { type RunningSluice, startSluice } from '../support/sluice.ts'
import { ChargingBooks } from './charging-books.ts'

/** One capped run, drawn from its seed. */
export interface BudgetPlan {
  readonly seed: number
  readonly processes: number
  /** Documents under way at once in each. */
  readonly slots: number
  readonly documents: number
  readonly price: number
  readonly cap: number
  /** After so many charges the price is this. */
  readonly rises: readonly { readonly after: number; readonly price: number }[]
  /** After so many charges the service answers 402 for the rest of the run; null for never. */
  readonly emptyAfter: number | null
  /** After so many requests a worker beside the run is killed; none where the run is alone. */
  readonly kills: readonly number[]
  /** After so many requests Redis loses its data. */
  readonly losses: readonly number[]
}

export function budgetPlan(seed: number): BudgetPlan {
  const random = new Random(seed)
  const processes = 1 + Math.min(random.below(8), random.below(8))
  const price = 1 + random.below(random.below(2) === 0 ? 5 : 200)
  const affordable = 1 + random.below(24)
  const cap = random.next() < 0.12 ? 1 + random.below(price) : price * affordable + random.below(price)
  const some = (chance: number, most: number): number[] =>
    random.next() < chance ? Array.from({ length: 1 + random.below(most) }, () => random.below(affordable + 2)) : []
  return {
    seed,
    processes,
    slots: 1 + random.below(6),
    documents: affordable + 4 + random.below(12),
    price,
    cap,
    rises: some(0.35, 2).map((after) => ({ after, price: price + 1 + random.below(price + 20) })),
    emptyAfter: some(0.15, 1)[0] ?? null,
    kills: processes > 1 ? some(0.3, processes - 1) : [],
    losses: some(0.25, 1),
  }
}

export interface BudgetReport {
  /** By the service's ledger, under the cap. */
  readonly charged: number
  /** Beyond the cap. */
  readonly over: number
  /** What the promise allows beyond the cap. */
  readonly bound: number
  /** Requests in doubt, as the last run counts them: processes that were killed, or silent for the time of a takeover. */
  readonly ambiguous: number
  /** One sentence each. */
  readonly breaches: readonly string[]
}

/** Between a process's end under its cap and the end of requests of workers beside it. */
const SETTLED_MS = 600
const ENDS_MS = 120_000

export async function budgetRun(
  plan: BudgetPlan,
  { redis, program }: { readonly redis: TestRedis; readonly program: Bundle },
): Promise<BudgetReport> {
  await using folder = await temporaryFolder()
  await using books = await ChargingBooks.open(plan)
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await redis.connection.flushall()
  await mkdir(source)
  for (let number = 0; number < plan.documents; number += 1)
    await writeFile(join(source, `${number}.html`), `<p>${number}`)
  let states = 0
  const start = (command: 'run' | 'work', ...flags: readonly string[]): RunningSluice => {
    const state = join(folder.path, `state-${(states += 1)}`)
    const common = [
      '--out',
      out,
      '--state-dir',
      state,
      '--concurrency',
      String(plan.slots),
      '--takeover',
      '4s',
      '--json',
    ]
    const env = {
      REDIS_URL: redis.url,
      PARSE_API_URL: books.url,
      PARSE_API_KEY: `budget-${plan.seed}`,
      NODE_COMPILE_CACHE: program.compileCache,
      SLUICE_RATE_WINDOW_MS: '200',
    }
    return startSluice([command, source, ...common, ...flags], { program: program.main, env })
  }
  const run = start('run', '--max-credits', String(plan.cap))
  const workers = Array.from({ length: plan.processes - 1 }, () => start('work'))
  const breaches: string[] = []
  const striking = strike({ plan, books, workers, redis, run, out })
  const ended = await Promise.race([run.finished, sleep(ENDS_MS, null, { ref: false })])
  await striking
  if (ended === null) breaches.push(`the capped run did not end within ${ENDS_MS / 1_000} s: ${run.stderr()}`)
  run.child.kill('SIGKILL')
  await sleep(SETTLED_MS)
  const charged = books.charged
  const over = Math.max(0, charged - plan.cap)
  const bound = books.bound(plan)
  if (over > bound) breaches.push(`${charged} charged under a cap of ${plan.cap}: ${over} over, and ${bound} may be`)
  if (ended !== null && ended.code === 0 && charged > plan.cap + bound) breaches.push('the run exits 0 beyond its cap')

  // The rest without a cap: what was charged is in the records, each document once.
  books.refill()
  const rest = start('run')
  const end = await Promise.race([rest.finished, sleep(ENDS_MS, null, { ref: false })])
  if (end?.code !== 0) breaches.push(`the run without a cap ends with ${end?.code}: ${end?.stdout.slice(-300)}`)
  for (const { child } of [rest, ...workers]) child.kill('SIGKILL')
  await Promise.all([rest, ...workers].map(({ finished }) => finished))
  const store = await readStoreOutside(openStoreFiles({ kind: 'folder', path: out }))
  const ambiguous = ambiguousOf(end?.stdout ?? '')
  breaches.push(...books.differences(store, plan.kills.length > 0, ambiguous))
  return { charged, over, bound, ambiguous, breaches }
}

/** Of the `summary` event. */
function ambiguousOf(stdout: string): number {
  const line = stdout.split('\n').find((one) => one.startsWith('{"event":"summary"'))
  return line === undefined ? 0 : (JSON.parse(line) as { readonly ambiguous: number }).ambiguous
}

interface Struck {
  readonly plan: BudgetPlan
  readonly books: ChargingBooks
  readonly workers: readonly RunningSluice[]
  readonly redis: TestRedis
  readonly run: RunningSluice
  readonly out: string
}

/** Does what the plan has when the service had so many requests. */
async function strike({ plan, books, workers, redis, run, out }: Struck): Promise<void> {
  const strikes = [
    ...plan.kills.map((at, index) => ({ at, act: () => books.kill(workers[index], out) })),
    ...plan.losses.map((at) => ({ at, act: async () => void (await redis.connection.flushall()) })),
  ].toSorted((one, other) => one.at - other.at)
  for (const { at, act } of strikes) {
    while (books.requests < at && run.child.exitCode === null) await sleep(5)
    if (run.child.exitCode !== null) return
    await act()
  }
}
