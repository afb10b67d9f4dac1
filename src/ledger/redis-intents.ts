import { randomUUID } from 'node:crypto'
import { type ReceiptId, type SourceKey, sourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'
import { documentScripts } from './document-scripts.ts'
import { BEGIN, CLEAR, CONCLUDE, DECLARE, RELEASE } from './intent-scripts.ts'
import { runInTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'

/** A planned purchase. */
export interface Intent {
  readonly receipt: ReceiptId
  readonly key: SourceKey
  /** The moment before the request, epoch milliseconds by the clock that all processes share. */
  readonly sentAt: number
  /** `ambiguous`: its process is dead, or it is far too old: it is unknown if the service charged for it. */
  readonly state: 'in_flight' | 'ambiguous'
}

/** Upper bound of a request: the service's limit of 300 s, and the upload. */
const MAX_REQUEST_MS = 900_000

export interface RedisIntentsOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  readonly lease: ProcessLease
  /** Policy for a document whose earlier request is ambiguous. Default `send`. */
  readonly onAmbiguous?: 'send' | 'hold'
  /**
   * Epoch milliseconds by a clock that all processes share. With a wrong clock of its own a machine would consider
   * another's purchase expired, and buy it, too.
   */
  readonly now: () => number
}

/** Intents in Redis: written before a request, cleared after its receipt is saved (Law 2). */
export class RedisIntents {
  readonly #options: RedisIntentsOptions
  readonly #intentsKey: string
  readonly #resentKey: string
  /** Intents of this process, until they are cleared. */
  readonly #own = new Map<ReceiptId, string>()
  /**
   * Intents to clear again, with their receipts: Redis refused, or a declaration wrote them back. While this process
   * lives they block other processes.
   */
  readonly #uncleared = new Map<string, ReceiptId>()
  /** `lateHeartbeats` of the lease at the start of each. */
  readonly #begunAt = new Map<ReceiptId, number>()

  constructor(options: RedisIntentsOptions) {
    this.#options = options
    this.#intentsKey = `${redisPrefix(options.pipeline)}:intents`
    this.#resentKey = `${redisPrefix(options.pipeline)}:resent`
    options.lease.onNewEpoch(() => this.#declare())
    options.lease.onHeartbeat(() => this.#clearAgain())
  }

  async begin(id: ReceiptId, key: SourceKey): Promise<'begun' | 'again' | 'busy' | 'held'> {
    const { connection, pipeline, lease, onAmbiguous = 'send' } = this.#options
    const now = this.#options.now()
    const { lateHeartbeats } = lease
    const intent = `${lease.id} ${now} ${randomUUID().slice(0, 8)} ${key}`
    const keys = [this.#intentsKey, lease.key, this.#resentKey, lease.epochKey]
    const values = [id, intent, processKeyPrefix(pipeline), lease.leaseMs, key, now, MAX_REQUEST_MS, onAmbiguous]
    const answer = await runInTouch(lease, () =>
      documentScripts(connection, pipeline).run(BEGIN, keys, [...values, lease.epoch]),
    )
    if (answer === 0 || answer === 2) return answer === 2 ? 'held' : 'busy'
    this.#own.set(id, intent)
    this.#begunAt.set(id, lateHeartbeats)
    return answer === 3 ? 'again' : 'begun'
  }

  async release(id: ReceiptId, key: SourceKey): Promise<void> {
    const { connection, lease } = this.#options
    const all = Object.entries(await connection.hgetall(this.#intentsKey)).map(([of, text]) => parse(of, text))
    for (const intent of all.filter((one) => one.receipt === id || one.key === key)) {
      await RELEASE.run(connection, [this.#intentsKey, lease.key, this.#resentKey], [intent.receipt])
    }
  }

  async clear(id: ReceiptId): Promise<void> {
    const intent = this.#own.get(id)
    if (intent === undefined) return
    this.#own.delete(id)
    this.#begunAt.delete(id)
    try {
      const { connection, pipeline } = this.#options
      await documentScripts(connection, pipeline).run(CLEAR, [this.#intentsKey], [id, intent])
    } catch (error) {
      this.#uncleared.set(intent, id)
      throw error
    }
  }

  async #clearAgain(): Promise<void> {
    for (const [intent, id] of this.#uncleared) {
      await CLEAR.run(this.#options.connection, [this.#intentsKey], [id, intent])
      this.#uncleared.delete(intent)
    }
  }

  isValid(id: ReceiptId): boolean {
    const lateHeartbeats = this.#begunAt.get(id)
    return lateHeartbeats !== undefined && this.#options.lease.isUnbroken(lateHeartbeats)
  }

  async conclude(id: ReceiptId, key: SourceKey): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const keys = [this.#intentsKey, lease.key]
    await runInTouch(lease, () =>
      documentScripts(connection, pipeline).run(CONCLUDE, keys, [id, key, processKeyPrefix(pipeline), lease.leaseMs]),
    )
  }

  /** Like for claims: if Redis lost its scripts, the declaration is sent twice, and writes cleared intents back. */
  async #declare(): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const declared = [...this.#own]
    const values = [lease.id, processKeyPrefix(pipeline), ...declared.flat()]
    await DECLARE.run(connection, [this.#intentsKey, this.#resentKey], values)
    for (const [id, intent] of declared) if (this.#own.get(id) !== intent) this.#uncleared.set(intent, id)
    await this.#clearAgain()
  }

  /** Lists every intent that was not cleared. Holds a line per request in flight. */
  async list(): Promise<readonly Intent[]> {
    return (await this.#list()).map(({ owner: _owner, ...intent }) => intent)
  }

  async #list(): Promise<readonly (Intent & { readonly owner: string })[]> {
    const { connection, pipeline, lease } = this.#options
    await lease.resync()
    const intents = Object.entries(await connection.hgetall(this.#intentsKey)).map(([id, text]) => parse(id, text))
    const owners = [...new Set(intents.map(({ owner }) => owner))]
    const leases = await Promise.all(owners.map((owner) => connection.exists(`${processKeyPrefix(pipeline)}${owner}`)))
    const alive = new Set(owners.filter((_, index) => leases[index] === 1))
    const youngest = this.#options.now() - MAX_REQUEST_MS
    return intents.map((intent) => ({
      ...intent,
      state: alive.has(intent.owner) && intent.sentAt > youngest ? 'in_flight' : 'ambiguous',
    }))
  }

  /**
   * Total number of ambiguous requests: those left now, and those that were retried. Call it when this process has none
   * in flight: its leftovers come from a crash.
   */
  async ambiguousTotal(): Promise<number> {
    const { connection, lease } = this.#options
    const resent = await connection.hvals(this.#resentKey)
    const again = resent.reduce((sum, times) => sum + Number(times), 0)
    const left = (await this.#list()).filter(({ owner, state }) => state === 'ambiguous' || owner === lease.id)
    return again + left.length
  }
}

function parse(id: string, text: string): Omit<Intent, 'state'> & { readonly owner: string } {
  const [owner = '', sentAt = '0', nonce = ''] = text.split(' ', 3)
  const key = text.slice(owner.length + sentAt.length + nonce.length + 3)
  return { receipt: id as ReceiptId, owner, sentAt: Number(sentAt), key: sourceKey(key) }
}
