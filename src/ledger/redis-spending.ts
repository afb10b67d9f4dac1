import { randomUUID } from 'node:crypto'
import type { RecipeHash } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { Charge, Reservation, Reserving } from '#src/document/spending.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'
import type { ScriptBatch } from '#src/redis/script-batch.ts'
import { documentScripts } from './document-scripts.ts'
import { runInTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'
import { DECLARE, RESERVE, type Reserved, SET_CAP, CONCLUDE } from './spending-scripts.ts'

interface Cap {
  readonly limit: string
  readonly run: string
  readonly since: string
  readonly owner: string
}

interface Held {
  readonly run: string
  readonly credits: number
  /** Text that the script wrote. */
  readonly text: string
}

const WAITS = {
  wait: 'requests in flight may use up the credits of this run',
  price: 'the cost of a document is unknown until the first answer',
} as const

/**
 * The cap of a queue in Redis. This process declares its knowledge of it again after Redis lost data (`ProcessLease`).
 */
export class RedisSpending {
  readonly #client: RedisClient
  readonly #ofDocuments: ScriptBatch
  readonly #lease: ProcessLease
  readonly #processes: string
  readonly #keys: readonly string[]
  readonly #prices = new Map<RecipeHash, string>()
  readonly #held = new Map<string, Held>()
  /** Last known charges of each process to the cap; our own value is always current. */
  readonly #spentByProcess = new Map<string, number>()
  #cap: Cap | null = null

  constructor(options: { readonly connection: RedisClient; readonly pipeline: string; readonly lease: ProcessLease }) {
    const { connection, pipeline, lease } = options
    const prefix = `${redisPrefix(pipeline)}:spending`
    this.#client = connection
    this.#ofDocuments = documentScripts(connection, pipeline)
    this.#lease = lease
    this.#processes = processKeyPrefix(pipeline)
    this.#keys = [`${prefix}:cap`, lease.key, `${prefix}:prices`, lease.epochKey, `${prefix}:held`]
    lease.onNewEpoch(() => this.#declare())
  }

  /** Sets the cap of the queue at the start of a run, or lifts the cap of an ended run; returns the effective cap. */
  async setCap(run: string, limitCredits: number | null): Promise<number | null> {
    const { id, leaseMs } = this.#lease
    const values = [run, limitCredits ?? '', id, leaseMs, this.#processes]
    const set = await runInTouch(this.#lease, () => SET_CAP.run(this.#client, this.#keys, values))
    const [limit, of, since, owner] = set
    this.#adoptCap({ limit, run: of, since, owner })
    return limit === '' ? null : Number(limit)
  }

  /** Expected cost of a request in credits, as far as this process knows. */
  expected(recipe: RecipeHash, modelled: number): number {
    const price = this.#prices.get(recipe)
    if (price === undefined) return modelled
    return Math.max(modelled, price.startsWith('=') ? Number(price.slice(1)) : modelled * Number(price))
  }

  async reserve(recipe: RecipeHash, modelled: number, id: string = randomUUID()): Promise<Reserving> {
    const lease = this.#lease
    const reply = await runInTouch(lease, () => {
      const values = [id, recipe, modelled, lease.leaseMs, lease.id, lease.epoch, this.#processes]
      return this.#ofDocuments.run(RESERVE, this.#keys, values)
    })
    this.#adoptReply(reply, recipe)
    const [verdict, limit, spent, credits, price, run] = reply
    const reservation: Reservation = { id, recipe, modelled, credits: Number(credits) }
    if (verdict === 'free') return { kind: 'reserved', reservation }
    if (verdict === 'over') {
      return { kind: 'over', message: overMessage('this run', '--max-credits', [limit, spent, credits]) }
    }
    if (verdict !== 'reserved') return { kind: 'wait', reason: WAITS[verdict] }
    const text = `${lease.id} ${run} ${credits} ${price === '' ? 0 : 1} ${recipe}`
    this.#held.set(id, { run, credits: Number(credits), text })
    return { kind: 'reserved', reservation }
  }

  async conclude({ id, recipe, modelled }: Reservation, charge: Charge): Promise<void> {
    const held = this.#held.get(id)
    this.#held.delete(id)
    const price = typeof charge === 'number' && charge > 0 ? priceOf(charge, modelled) : ''
    const isNews = price !== '' && this.expected(recipe, modelled) < Number(charge)
    const isFirst = price !== '' && !this.#prices.has(recipe)
    if (held === undefined && !isNews && !isFirst) return
    if (price !== '' && (isNews || isFirst)) this.#prices.set(recipe, price)
    const charged = charge === 'unsent' ? 0 : charge === 'unknown' ? (held?.credits ?? 0) : charge
    const process = this.#lease.id
    if (held?.run === this.#cap?.run)
      this.#spentByProcess.set(process, (this.#spentByProcess.get(process) ?? 0) + charged)
    const values = [id, process, held?.run ?? '', this.#spentByProcess.get(process) ?? 0, recipe, price]
    await this.#ofDocuments.run(CONCLUDE, this.#keys, values)
  }

  #adoptCap(cap: Cap): void {
    // A Redis without any run lost its data: this process has the only copy.
    if (cap.run === '' && this.#cap !== null) return
    if (this.#cap?.run !== cap.run) this.#spentByProcess.clear()
    this.#cap = cap
  }

  #adoptReply([, limit, , , price, run, since, owner, by]: Reserved, recipe: RecipeHash): void {
    this.#adoptCap({ limit, run, since, owner })
    if (price !== '') this.#prices.set(recipe, price)
    for (let at = 0; at < by.length; at += 2) {
      const process = by[at]?.slice(`by ${run} `.length) ?? ''
      const total = Number(by[at + 1])
      if (total > (this.#spentByProcess.get(process) ?? 0)) this.#spentByProcess.set(process, total)
    }
  }

  /**
   * Writes the open reservations of this process to Redis. Repeats it if one was concluded meanwhile: a retried script
   * may run late and write the earlier state.
   */
  async #declare(): Promise<void> {
    let declared: string
    do {
      declared = this.#declaration()
      await DECLARE.run(this.#client, this.#keys, [this.#lease.id, declared])
    } while (declared !== this.#declaration())
  }

  #declaration(): string {
    return JSON.stringify({
      // Absent if unknown: a JSON null is truthy in Lua.
      cap: this.#cap ?? undefined,
      by: Object.fromEntries(this.#spentByProcess),
      prices: Object.fromEntries(this.#prices),
      held: Object.fromEntries([...this.#held].map(([id, { text }]) => [id, text])),
    })
  }
}

/** Credits charged per credit of the model; an absolute price if the model gives 0. */
const priceOf = (charge: number, modelled: number): string => (modelled > 0 ? String(charge / modelled) : `=${charge}`)

/**
 * Explains to a person why no further request is sent. `credits`: the limit, the spent credits, and the need of the
 * next document.
 */
export function overMessage(of: string, raise: string, credits: readonly [string, string, string | number]): string {
  const [capped, used, needed] = credits.map((amount) => Math.round(Number(amount) * 100) / 100)
  return (
    `the budget for ${of} is ${capped} credits: ${used} are spent and the next document needs ${needed}. ` +
    `Raise ${raise} to go on; every waiting document is kept.`
  )
}
