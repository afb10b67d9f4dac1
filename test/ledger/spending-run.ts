import { setTimeout as sleep } from 'node:timers/promises'
import { type RecipeHash, recipeHash } from '#src/document/ids.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import { connectRedis, type RedisConnection } from '#src/queue/connection.ts'
import { Random } from '../support/random.ts'

/*
 * One capped run, drawn from its seed: processes that buy documents under one cap while the price rises, answers are
 * refused, processes are killed and Redis loses its data. The service keeps its own ledger; nothing here reads Redis.
 */

export interface SpendingReport {
  readonly seed: number
  readonly drawn: string
  readonly cap: number
  /** Credits by the service's ledger. */
  readonly charged: number
  /** The most that may be charged beyond the cap, as the promise states it. */
  readonly allowedOver: number
  /** The most requests in flight at once that were reserved before any process began to report a price. */
  readonly unknownAtOnce: number
  /** Whether more documents could still be bought for what is left, and none was. */
  readonly stuck: boolean
}

const RECIPE: RecipeHash = recipeHash('00000000000000aa')
const LEASE_MS = 1_200

interface Buyer {
  readonly connection: RedisConnection
  readonly lease: ProcessLease
  readonly spending: RedisSpending
  inFlight: number
  dead: boolean
}

/** Prices, and who is in flight when a new one is first told. */
class Service {
  price: number
  charged = 0
  /** The highest price that a process reported to the cap; a process that is killed reports nothing. */
  #reported: number | null = null
  /** The first price that each process began to report: Redis may know it before the process hears so. */
  readonly #told = new Map<Buyer, number>()
  /**
   * Beyond the cap by the promise: one document at an unknown price; after a rise the difference, for each request that
   * was reserved before the rise was reported.
   */
  allowedOver = 0
  unknownAtOnce = 0
  #unknownInFlight = 0
  readonly #refusedShare: number
  readonly #random: Random

  constructor(price: number, refusedShare: number, random: Random) {
    this.price = price
    this.#refusedShare = refusedShare
    this.#random = random
  }

  /** The highest price that every reservation asked for from now on must respect. */
  get reportedPrice(): number | null {
    return this.#reported
  }

  telling(buyer: Buyer, credits: number): void {
    if (credits > 0 && !this.#told.has(buyer)) this.#told.set(buyer, credits)
  }

  reported(credits: number): void {
    if (credits > 0) this.#reported = Math.max(this.#reported ?? 0, credits)
  }

  /** `reportedBefore`: the price reported when the reservation was asked for. */
  async buy(reportedBefore: number | null): Promise<number> {
    // A process that was killed while it told its price may not have told it.
    const told = [...this.#told].filter(([buyer]) => !buyer.dead).map(([, credits]) => credits)
    const known = reportedBefore ?? (told.length > 0 ? Math.min(...told) : null)
    if (known === null) this.#unknownInFlight += 1
    this.unknownAtOnce = Math.max(this.unknownAtOnce, this.#unknownInFlight)
    await sleep(2 + this.#random.below(12))
    const refused = this.#random.next() < this.#refusedShare
    const credits = refused ? 0 : this.price
    this.charged += credits
    this.allowedOver += Math.max(0, credits - (known ?? 0))
    if (known === null) this.#unknownInFlight -= 1
    return credits
  }
}

async function openBuyer(url: string, pipeline: string): Promise<Buyer> {
  const connection = await connectRedis({ url })
  const lease = await ProcessLease.open({ connection, pipeline, leaseMs: LEASE_MS })
  const spending = new RedisSpending({ connection, pipeline, lease })
  return { connection, lease, spending, inFlight: 0, dead: false }
}

/** Buys until the cap ends it, or no document is left. */
async function buy(buyer: Buyer, service: Service, left: () => boolean, ended: () => void): Promise<void> {
  while (!buyer.dead && left()) {
    const reportedBefore = service.reportedPrice
    const reserving = await buyer.spending.reserve(RECIPE, 1)
    if (buyer.dead) return
    if (reserving.kind === 'over') return ended()
    if (reserving.kind === 'wait') {
      await sleep(5)
      continue
    }
    buyer.inFlight += 1
    const credits = await service.buy(reportedBefore)
    buyer.inFlight -= 1
    if (buyer.dead) return
    service.telling(buyer, credits)
    await buyer.spending.settle(reserving.reservation, credits)
    if (!buyer.dead) service.reported(credits)
  }
}

export async function spendingRun(seed: number, redis: RedisConnection, url: string): Promise<SpendingReport> {
  const random = new Random(seed)
  const pipeline = `spending-${seed}-${Date.now().toString(36)}`
  const processes = 1 + random.below(8)
  const places = 1 + random.below(6)
  const price = 1 + random.below(random.below(2) === 0 ? 5 : 200)
  const cap = price * (1 + random.below(30)) + random.below(price)
  const rises = random.below(3) === 0 ? 1 + random.below(2) : 0
  const kills = random.below(3) === 0 ? 1 + random.below(processes) : 0
  const losses = random.below(3) === 0 ? 1 : 0
  const refused = random.below(3) === 0 ? random.next() * 0.5 : 0
  const service = new Service(price, refused, random)
  const buyers = await Promise.all(Array.from({ length: processes }, () => openBuyer(url, pipeline)))
  await buyers[0]?.spending.setCap('run', cap)
  let documents = 4 * Math.ceil(cap / price) + 8
  const left = (): boolean => documents-- > 0
  let ends = 0
  const work = buyers.flatMap((buyer) =>
    Array.from({ length: places }, () => buy(buyer, service, left, () => (ends += 1)).catch(() => undefined)),
  )
  const faults = [
    ...Array.from({ length: rises }, () => () => void (service.price += 1 + random.below(service.price + 20))),
    ...Array.from({ length: kills }, () => () => {
      const living = buyers.filter(({ dead }) => !dead)
      const victim = living.length > 1 ? living[random.below(living.length)] : undefined
      if (victim === undefined) return
      victim.dead = true
      victim.connection.disconnect()
      // Nobody but the victim knew of these, should Redis lose its data before its death is noticed.
      if (losses > 0) service.allowedOver += victim.inFlight * service.price
    }),
    ...Array.from({ length: losses }, () => () => void redis.flushall()),
  ]
  for (const fault of faults.toSorted(() => random.next() - 0.5)) {
    await sleep(random.below(120))
    fault()
  }
  await Promise.all(work)
  const spent = service.charged
  const living = buyers.filter(({ dead }) => !dead)
  for (const { lease, connection } of living) {
    await lease.close()
    connection.disconnect()
  }
  const wasted = kills > 0
  return {
    seed,
    drawn: `${processes} processes × ${places}, price ${price}, rises ${rises}, kills ${kills}, losses ${losses}, refused ${refused.toFixed(2)}`,
    cap,
    charged: spent,
    allowedOver: service.allowedOver,
    unknownAtOnce: service.unknownAtOnce,
    stuck: !wasted && refused === 0 && rises === 0 && ends > 0 && cap - spent >= price,
  }
}
