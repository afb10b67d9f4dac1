import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import { BEAT, type Beat, FILLED, haveDeclared, readBeat } from './epoch-script.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

export interface ProcessLeaseOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  /** How long a process counts as alive after its last heartbeat. */
  readonly leaseMs?: number
}

/** What Redis lost, as far as this process knows. */
export interface Loss {
  /** `data`: writes of this process are gone. `restart`: another server or a restart; nothing of ours is missing. */
  readonly kind: 'data' | 'restart'
}

/** As long as the lock of a job, so that a dead worker's documents are free when its jobs are back. */
const LEASE_MS = 10_000

/** A loss of data is noticed within this time, also when the connection stands. */
const LONGEST_BEAT_MS = 1_000

/** Longer than any process takes to connect again (`connectRedis` waits 1 s at most between two tries). */
const GRACE_MS = 1_500

const DECLARED_POLL_MS = 30
const CLOSE_PATIENCE_MS = 500

/** Answer of a script that did not judge, because this process was out of touch: `resync`, then run it again. */
export const ASK_AGAIN = -1

/**
 * For scripts that judge whether another process is dead; KEYS[2] is their own lease, ARGV[4] its length. A lease is
 * renewed at a third of its length: when another's ran out because Redis was away or frozen, ours is about to.
 * `in_epoch` is false where Redis lost data that this process has not declared anew.
 */
export const IN_TOUCH = `
local function in_touch()
  return redis.call('GET', KEYS[2]) == '1' and redis.call('PTTL', KEYS[2]) > 0.4 * tonumber(ARGV[4])
end
local function in_epoch(key, id)
  return redis.call('HGET', key, 'id') == id
end
`

/**
 * The lease of this process in Redis, renewed by heartbeats. What the process holds there (claims, intents) is its own
 * while the lease stands, and free for others when it has expired: one key to renew, however much is held.
 *
 * While Redis is away or frozen every lease expires, though the processes live. So a process whose own heartbeat is
 * late is out of touch: it renews its lease, and judges no process dead until all others had the time to do the same.
 * Only then is it in touch again.
 *
 * Redis may also lose data, or be rolled back (epoch-script.ts). Each process notices at its next beat, begins the new
 * epoch, declares what it holds, and takes nothing new until every process that was alive has done the same, at the
 * latest after a lease.
 */
export class ProcessLease implements AsyncDisposable {
  readonly id = randomUUID().slice(0, 13)
  readonly key: string
  readonly epochKey: string
  readonly leaseMs: number
  readonly #client: RedisClient
  readonly #timer: NodeJS.Timeout
  readonly #held = new Set<symbol>()
  readonly #declarations = new Set<() => Promise<unknown>>()
  readonly #listeners = new Set<(loss: Loss) => void>()
  readonly #chores = new Set<() => Promise<void>>()
  #resyncing: Promise<void> | null = null
  #epoch = ''
  #declaredIn = ''
  #beats = 0
  #acknowledged = 0
  /** Since the current epoch was adopted, Redis was seen to have lost a beat of ours. */
  #missing = false
  #alive: ReadonlySet<string> = new Set()
  #losses = 0
  #disturbances = 0
  #disturbed = false
  #lapses = 0
  /** When the last heartbeat was sent that Redis acknowledged, by both clocks: a machine that sleeps stops one. */
  #signedAt = { steadyMs: 0, wallMs: 0 }

  private constructor(options: ProcessLeaseOptions) {
    this.#client = options.connection
    this.leaseMs = options.leaseMs ?? LEASE_MS
    this.key = `${processKeyPrefix(options.pipeline)}${this.id}`
    this.epochKey = `${redisPrefix(options.pipeline)}:epoch`
    this.#timer = setInterval(this.#renewSoon, Math.min(this.leaseMs / 3, LONGEST_BEAT_MS)).unref()
    this.#client.on('ready', this.#renewSoon)
    this.#client.on('close', this.#disturb)
  }

  static async open(options: ProcessLeaseOptions): Promise<ProcessLease> {
    const lease = new ProcessLease(options)
    await lease.#begin()
    const { epoch, epochAgeMs, peers } = await lease.#beat()
    lease.#epoch = lease.#declaredIn = epoch
    // Others may be about to declare what they hold: we do not know of them, but they know that they are not through.
    if (peers.some(({ process, declared }) => process !== lease.id && declared !== epoch) && epochAgeMs < GRACE_MS) {
      await sleep(GRACE_MS - epochAgeMs)
    }
    await lease.#beat()
    return lease
  }

  /** Of the data in Redis, as far as this process knows; scripts that take something are refused in another one. */
  get epoch(): string {
    return this.#epoch
  }

  /** How often Redis lost data, or may have, since this process began. */
  get losses(): number {
    return this.#losses
  }

  /** Breaks of the connection: what was answered across one may be of a Redis that lost data. */
  get disturbances(): number {
    return this.#disturbances
  }

  /** How often the heartbeat of this process was late, so that it may have been considered dead. */
  get lapses(): number {
    return this.#lapses
  }

  /** Whether this process counted as alive all the time since `lapses` was read; sends no command. */
  isUnbroken(lapses: number): boolean {
    const { steadyMs, wallMs } = this.#signedAt
    const ageMs = Math.max(performance.now() - steadyMs, Date.now() - wallMs)
    return lapses === this.#lapses && ageMs < this.leaseMs
  }

  /** `declare` writes again what this process holds; called in each new epoch, before anything new is taken. */
  onNewEpoch(declare: () => Promise<unknown>): void {
    this.#declarations.add(declare)
  }

  /** Done with each beat that was in time: what Redis refused is tried again. */
  onBeat(chore: () => Promise<void>): void {
    this.#chores.add(chore)
  }

  /** Called when all that this process holds is declared again. */
  onLoss(listener: (loss: Loss) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whether the ledger is complete, as far as the store knows; false after a loss until `filled`. */
  async isFilled(): Promise<boolean> {
    await this.resync()
    return (await this.#beat()).filled
  }

  /** The ledger was made complete from the store, which was read from its beginning in the epoch `epoch`. */
  async filled(epoch = this.#epoch): Promise<void> {
    await FILLED.run(this.#client, [this.epochKey], [epoch])
  }

  /** Resolves at once unless Redis may have lost what this process does not know yet. */
  async ready(): Promise<void> {
    if (this.#resyncing !== null || this.#disturbed || this.#epoch !== this.#declaredIn) await this.resync()
  }

  /** Renews the lease; resolves when those of other processes can be trusted: at once, unless we were out of touch. */
  resync(): Promise<void> {
    this.#resyncing ??= this.#resync().finally(() => {
      this.#resyncing = null
    })
    return this.#resyncing
  }

  /** Work is in flight that no other process may begin, until the function returned is called. */
  hold(): () => void {
    const holding = Symbol()
    this.#held.add(holding)
    return () => void this.#held.delete(holding)
  }

  /**
   * What this process has left is free for others from now on. Where something is still in flight, it is free only
   * when the lease expires: a worker that is cut hands its jobs back while an answer may just be on its way to disk.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#client.off('ready', this.#renewSoon)
    this.#client.off('close', this.#disturb)
    if (this.#held.size > 0) return
    const forgotten = Promise.all([this.#client.del(this.key), this.#client.hdel(this.epochKey, `p:${this.id}`)]).catch(
      () => undefined,
    )
    // Where Redis is away the lease expires by itself.
    await Promise.race([forgotten, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })])
  }

  async #resync(): Promise<void> {
    const beat = await this.#beat()
    // A declaration that failed is made again.
    if (beat.epoch !== this.#declaredIn) await this.#adopt(beat)
    else if (beat.inTime) return
    if (!beat.inTime) {
      await sleep(GRACE_MS)
      await this.#begin()
    }
  }

  /** A new epoch: declares what this process holds, and waits for all that were alive to do the same. */
  async #adopt(first: Beat): Promise<void> {
    const until = performance.now() + this.leaseMs
    const alive = this.#alive
    const loss: Loss = { kind: this.#missing ? 'data' : 'restart' }
    let beat = first
    while (beat.epoch !== this.#declaredIn) {
      this.#epoch = beat.epoch
      this.#missing = false
      await Promise.all([...this.#declarations].map((declare) => declare()))
      this.#declaredIn = this.#epoch
      beat = await this.#beat()
    }
    this.#losses += 1
    for (const listener of this.#listeners) listener(loss)
    while (!haveDeclared(alive, beat) && performance.now() < until) {
      await sleep(DECLARED_POLL_MS)
      beat = await this.#beat()
      if (beat.epoch !== this.#epoch) return this.#adopt(beat)
    }
  }

  async #begin(): Promise<void> {
    await this.#client.set(this.key, '1', 'PX', this.leaseMs)
  }

  async #beat(): Promise<Beat> {
    this.#beats += 1
    const number = this.#beats
    const disturbances = this.#disturbances
    const signedAt = { steadyMs: performance.now(), wallMs: Date.now() }
    const values = [this.leaseMs, this.id, this.#epoch, this.#acknowledged, number, randomUUID(), this.#declaredIn]
    const beat = readBeat(await BEAT.run(this.#client, [this.key, this.epochKey], values))
    this.#acknowledged = Math.max(this.#acknowledged, number)
    this.#signedAt = signedAt
    if (!beat.inTime) this.#lapses += 1
    if (!beat.kept) this.#missing = true
    if (beat.epoch === this.#epoch) {
      if (disturbances === this.#disturbances) this.#disturbed = false
      const recent = beat.peers.filter(({ process, ageMs }) => process !== this.id && ageMs < this.leaseMs)
      this.#alive = new Set(recent.map(({ process }) => process))
    }
    return beat
  }

  async #doChores(): Promise<void> {
    for (const chore of this.#chores) await chore()
  }

  readonly #disturb = (): void => {
    this.#disturbances += 1
    this.#disturbed = true
  }

  /** Goes on while the process resyncs: out of touch, it is alive all the same. */
  readonly #renewSoon = (): void => {
    this.#beat()
      .then((beat) => (beat.inTime && beat.epoch === this.#declaredIn ? this.#doChores() : this.resync()))
      // A renewal that fails did so because the connection was closed for good: then the lease has to expire.
      .catch(() => undefined)
  }
}

/** A process `id` lives while the key of this prefix and its id is there. */
export const processKeyPrefix = (pipeline: string): string => `${redisPrefix(pipeline)}:process:`

/**
 * Runs a script that judges other processes, or takes something, as often as it takes until this process is in touch
 * and nothing broke the connection meanwhile: the script may have run on a Redis that lost data just before.
 */
export async function inTouch<Reply>(
  lease: ProcessLease,
  run: () => Promise<Reply>,
): Promise<Exclude<Reply, typeof ASK_AGAIN>> {
  for (;;) {
    await lease.ready()
    const before = lease.disturbances
    const answer = await run()
    if (answer !== ASK_AGAIN && before === lease.disturbances) return answer as Exclude<Reply, typeof ASK_AGAIN>
    await lease.resync()
  }
}
