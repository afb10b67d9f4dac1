import { setTimeout as sleep } from 'node:timers/promises'
import { type RecipeHash, recipeHash } from '#src/document/ids.ts'
import type { Reservation } from '#src/document/spending.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import { connectRedis, type RedisConnection } from '#src/redis/connection.ts'
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
  /** What requests cost beyond what was set aside for them: the most that may be charged beyond the cap. */
  readonly allowedOver: number
  /** Requests for which less was set aside than had been reported before they were reserved. */
  readonly late: number
  /** The most requests in flight at once for which only the model's price was set aside, where the service charged more from the first. */
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
  /** Credits that it reported. */
  reported: number
  /** Of the reports of others, what it has heard at least. */
  readonly heard: Map<Buyer, number>
}

/** What is charged, and what the cap could know of it. */
class Service {
  price: number
  charged = 0
  /** The highest price that a living process reported to the cap; a process that is killed may have reported nothing. */
  #reported = 0
  #reporter: Buyer | null = null
  /** Charged beyond what was set aside: exactly by this the cap may be exceeded. */
  allowedOver = 0
  /** Requests for which less was set aside than had been reported before they were reserved. */
  late = 0
  unknownAtOnce = 0
  #unknownInFlight = 0
  readonly #firstPrice: number
  readonly #refusedShare: number
  readonly #random: Random

  constructor(price: number, refusedShare: number, random: Random) {
    this.price = price
    this.#firstPrice = price
    this.#refusedShare = refusedShare
    this.#random = random
  }

  /** What every reservation asked for from now on must set aside; 0 where Redis may have lost it with its reporter. */
  get reportedPrice(): number {
    return this.#reporter?.dead === true ? 0 : this.#reported
  }

  reported(buyer: Buyer, credits: number): void {
    if (credits < this.#reported || credits === 0) return
    this.#reported = credits
    this.#reporter = buyer
  }

  /** `reportedBefore`: the price reported when the reservation was asked for. */
  async buy(reservation: Reservation, reportedBefore: number): Promise<number> {
    const isUnknown = this.#firstPrice > reservation.modelled && reservation.credits <= reservation.modelled
    if (reservation.credits < reportedBefore) this.late += 1
    if (isUnknown) this.#unknownInFlight += 1
    this.unknownAtOnce = Math.max(this.unknownAtOnce, this.#unknownInFlight)
    await sleep(2 + this.#random.below(12))
    const credits = this.#random.next() < this.#refusedShare ? 0 : this.price
    this.charged += credits
    this.allowedOver += Math.max(0, credits - reservation.credits)
    if (isUnknown) this.#unknownInFlight -= 1
    return credits
  }
}

async function openBuyer(url: string, pipeline: string): Promise<Buyer> {
  const connection = await connectRedis({ url })
  const lease = await ProcessLease.open({ connection, pipeline, leaseMs: LEASE_MS })
  const spending = new RedisSpending({ connection, pipeline, lease })
  return { connection, lease, spending, inFlight: 0, dead: false, reported: 0, heard: new Map() }
}

/** Buys until the cap ends it, or no document is left. */
async function buy(
  buyer: Buyer,
  others: readonly Buyer[],
  service: Service,
  left: () => boolean,
  ended: () => void,
): Promise<void> {
  while (!buyer.dead && left()) {
    const reportedBefore = service.reportedPrice
    const reported = others.map((other) => [other, other.reported] as const)
    const reserving = await buyer.spending.reserve(RECIPE, 1)
    if (buyer.dead) return
    for (const [other, credits] of reported) buyer.heard.set(other, Math.max(credits, buyer.heard.get(other) ?? 0))
    if (reserving.kind === 'over') return ended()
    if (reserving.kind === 'wait') {
      await sleep(5)
      continue
    }
    buyer.inFlight += 1
    const credits = await service.buy(reserving.reservation, reportedBefore)
    buyer.inFlight -= 1
    if (buyer.dead) return
    buyer.reported += credits
    await buyer.spending.conclude(reserving.reservation, credits)
    if (!buyer.dead) service.reported(buyer, credits)
  }
}

/**
 * Credits that only processes know of that were killed: no living one has asked since they were reported. Where Redis
 * loses its data as well, they are forgotten.
 */
const knownByDeadOnly = (buyers: readonly Buyer[]): number => {
  const living = buyers.filter(({ dead }) => !dead)
  const heard = (of: Buyer): number => Math.max(0, ...living.map((buyer) => buyer.heard.get(of) ?? 0))
  return buyers.filter(({ dead }) => dead).reduce((sum, buyer) => sum + buyer.reported - heard(buyer), 0)
}

export async function spendingRun(seed: number, redis: RedisConnection, url: string): Promise<SpendingReport> {
  const random = new Random(seed)
  const pipeline = `spending-${seed}-${Date.now().toString(36)}`
  const processes = 1 + random.below(8)
  const slots = 1 + random.below(6)
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
    Array.from({ length: slots }, () => buy(buyer, buyers, service, left, () => (ends += 1)).catch(() => undefined)),
  )
  let [isLost, forgotten] = [false, 0]
  const forget = (): void => {
    if (!isLost) return
    service.allowedOver += Math.max(0, knownByDeadOnly(buyers) - forgotten)
    forgotten = Math.max(forgotten, knownByDeadOnly(buyers))
  }
  const faults = [
    ...Array.from({ length: rises }, () => () => void (service.price += 1 + random.below(service.price + 20))),
    ...Array.from({ length: kills }, () => () => {
      const living = buyers.filter(({ dead }) => !dead)
      const victim = living.length > 1 ? living[random.below(living.length)] : undefined
      if (victim === undefined) return
      victim.dead = true
      victim.connection.disconnect()
      // No other process knew of these, should Redis lose its data before the death is noticed.
      if (losses > 0) service.allowedOver += victim.inFlight * service.price
      forget()
    }),
    ...Array.from({ length: losses }, () => () => {
      isLost = true
      void redis.flushall()
      forget()
    }),
  ]
  for (const fault of faults.toSorted(() => random.next() - 0.5)) {
    await sleep(random.below(120))
    fault()
  }
  await Promise.all(work)
  const spent = service.charged
  const living = buyers.filter(({ dead }) => !dead)
  for (const { lease, connection } of living) {
    await lease[Symbol.asyncDispose]()
    connection.disconnect()
  }
  const wasted = kills > 0
  return {
    seed,
    drawn: `${processes} processes × ${slots}, price ${price}, rises ${rises}, kills ${kills}, losses ${losses}, refused ${refused.toFixed(2)}`,
    cap,
    charged: spent,
    allowedOver: service.allowedOver,
    late: service.late,
    unknownAtOnce: service.unknownAtOnce,
    stuck: !wasted && refused === 0 && rises === 0 && ends > 0 && cap - spent >= price,
  }
}
