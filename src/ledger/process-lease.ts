import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisPrefix } from '#src/document/pipeline.ts'
import { HEARTBEAT, type Heartbeat, MARK_COMPLETE, haveAllDeclared, readHeartbeat } from './epoch-script.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'

export interface ProcessLeaseOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  /** Lease time: a process counts as alive for this long after its last heartbeat. */
  readonly leaseMs?: number
}

/** Data that Redis lost, as far as this process knows. */
export interface Loss {
  /**
   * `data`: writes of this process are gone. `restart`: another server or a restart; no data of this process is
   * missing.
   */
  readonly kind: 'data' | 'restart'
}

/** Equal to the lock time of a job, so that a dead worker's documents are free when its jobs return to the queue. */
const LEASE_MS = 10_000

/** Upper bound of the time to detect a loss of data, even on a stable connection. */
const MAX_HEARTBEAT_MS = 1_000

/** Longer than any process takes to reconnect (`connectRedis` waits at most 1 s between two attempts). */
const RECONNECT_GRACE_MS = 1_500

const DECLARED_POLL_MS = 30
const CLOSE_PATIENCE_MS = 500

/** Reply of a script that did not decide, because this process was out of touch: `resync`, then run it again. */
export const RESYNC_FIRST = -1

/**
 * For scripts that decide if another process is dead; KEYS[2] is their own lease, ARGV[4] its length. Processes renew a
 * lease at a third of its length: if another's expired because Redis was down or frozen, ours is about to. `in_epoch`
 * is false if Redis lost data that this process has not declared again.
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
 * The lease of this process in Redis, renewed by heartbeats. The process owns its holdings there (claims, intents)
 * while the lease is valid, and others may take them after it expires. A single key covers any number of holdings.
 *
 * While Redis is down or frozen every lease expires, though the processes live. A process with a late heartbeat is
 * therefore out of touch. It renews its lease, and considers no process dead until all others had the time to renew
 * theirs.
 *
 * Redis may also lose data, or be rolled back (epoch-script.ts). Each process detects that at its next heartbeat,
 * starts the new epoch and declares its holdings. It takes nothing new until every live process has done the same, at
 * the latest after a lease.
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
  readonly #heartbeatTasks = new Set<() => Promise<void>>()
  #resyncing: Promise<void> | null = null
  #epoch = ''
  #declaredIn = ''
  #heartbeats = 0
  #lastAcknowledged = 0
  /** True if Redis lost a heartbeat of this process since the current epoch started. */
  #lostHeartbeat = false
  #alive: ReadonlySet<string> = new Set()
  #losses = 0
  #disconnects = 0
  #connectionBroke = false
  #lateHeartbeats = 0
  /**
   * Sending time of the last acknowledged heartbeat, by both clocks: the monotonic clock stops while a machine sleeps.
   */
  #acknowledgedAt = { steadyMs: 0, wallMs: 0 }

  private constructor(options: ProcessLeaseOptions) {
    this.#client = options.connection
    this.leaseMs = options.leaseMs ?? LEASE_MS
    this.key = `${processKeyPrefix(options.pipeline)}${this.id}`
    this.epochKey = `${redisPrefix(options.pipeline)}:epoch`
    this.#timer = setInterval(this.#renewSoon, Math.min(this.leaseMs / 3, MAX_HEARTBEAT_MS)).unref()
    this.#client.on('ready', this.#renewSoon)
    this.#client.on('close', this.#recordDisconnect)
  }

  static async open(options: ProcessLeaseOptions): Promise<ProcessLease> {
    const lease = new ProcessLease(options)
    await lease.#acquire()
    const { epoch, epochAgeMs, peers } = await lease.#sendHeartbeat()
    lease.#epoch = lease.#declaredIn = epoch
    // Others may be about to declare their holdings: this process does not know them, but they know that they are not
    // done.
    if (
      peers.some(({ process, declared }) => process !== lease.id && declared !== epoch) &&
      epochAgeMs < RECONNECT_GRACE_MS
    ) {
      await sleep(RECONNECT_GRACE_MS - epochAgeMs)
    }
    await lease.#sendHeartbeat()
    return lease
  }

  /**
   * Epoch of the data in Redis that this process last saw. In another epoch Redis refuses its scripts that take a job, a
   * permit or a reservation.
   */
  get epoch(): string {
    return this.#epoch
  }

  /** Number of actual or possible data losses of Redis since this process started. */
  get losses(): number {
    return this.#losses
  }

  /** Number of broken connections: a reply across one may come from a Redis that lost data. */
  get disconnects(): number {
    return this.#disconnects
  }

  /** Number of late heartbeats: during one this process may have counted as dead. */
  get lateHeartbeats(): number {
    return this.#lateHeartbeats
  }

  /** True if this process counted as alive all the time since the caller read `lateHeartbeats`; sends no command. */
  isUnbroken(lateHeartbeats: number): boolean {
    const { steadyMs, wallMs } = this.#acknowledgedAt
    const ageMs = Math.max(performance.now() - steadyMs, Date.now() - wallMs)
    return lateHeartbeats === this.#lateHeartbeats && ageMs < this.leaseMs
  }

  /** `declare` writes the holdings of this process again; called in each new epoch, before it takes anything new. */
  onNewEpoch(declare: () => Promise<unknown>): void {
    this.#declarations.add(declare)
  }

  /** Runs with each timely heartbeat: retries commands that Redis refused. */
  onHeartbeat(task: () => Promise<void>): void {
    this.#heartbeatTasks.add(task)
  }

  /** Called after this process has declared all holdings again. */
  onLoss(listener: (loss: Loss) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** True if the ledger is complete according to the store; false after a loss until `markLedgerComplete`. */
  async isLedgerComplete(): Promise<boolean> {
    await this.resync()
    return (await this.#sendHeartbeat()).isLedgerComplete
  }

  /** Marks the ledger as complete. The store was read from its start in the epoch `epoch`. */
  async markLedgerComplete(epoch = this.#epoch): Promise<void> {
    await MARK_COMPLETE.run(this.#client, [this.epochKey], [epoch])
  }

  /** Resolves at once unless Redis may have lost data without this process knowing it yet. */
  async ready(): Promise<void> {
    if (this.#resyncing !== null || this.#connectionBroke || this.#epoch !== this.#declaredIn) await this.resync()
  }

  /**
   * Renews the lease. Resolves when the leases of other processes are reliable: at once, unless this process was out of
   * touch.
   */
  resync(): Promise<void> {
    this.#resyncing ??= this.#resync().finally(() => {
      this.#resyncing = null
    })
    return this.#resyncing
  }

  /** Protects work in flight from other processes, until the returned function is called. */
  hold(): () => void {
    const holding = Symbol()
    this.#held.add(holding)
    return () => void this.#held.delete(holding)
  }

  /**
   * Releases all leftovers of this process to others. With work in flight they stay until the lease expires: an aborted
   * worker returns its jobs while an answer may still be on its way to disk.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#client.off('ready', this.#renewSoon)
    this.#client.off('close', this.#recordDisconnect)
    if (this.#held.size > 0) return
    const forgotten = Promise.all([this.#client.del(this.key), this.#client.hdel(this.epochKey, `p:${this.id}`)]).catch(
      () => undefined,
    )
    // While Redis is down the lease expires alone.
    await Promise.race([forgotten, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })])
  }

  async #resync(): Promise<void> {
    const beat = await this.#sendHeartbeat()
    // Retries a failed declaration.
    if (beat.epoch !== this.#declaredIn) await this.#adopt(beat)
    else if (beat.inTime) return
    if (!beat.inTime) {
      await sleep(RECONNECT_GRACE_MS)
      await this.#acquire()
    }
  }

  /** Starts a new epoch: declares the holdings of this process, and waits for all live processes to do the same. */
  async #adopt(first: Heartbeat): Promise<void> {
    const until = performance.now() + this.leaseMs
    const alive = this.#alive
    const loss: Loss = { kind: this.#lostHeartbeat ? 'data' : 'restart' }
    let beat = first
    while (beat.epoch !== this.#declaredIn) {
      this.#epoch = beat.epoch
      this.#lostHeartbeat = false
      await Promise.all([...this.#declarations].map((declare) => declare()))
      this.#declaredIn = this.#epoch
      beat = await this.#sendHeartbeat()
    }
    this.#losses += 1
    for (const listener of this.#listeners) listener(loss)
    while (!haveAllDeclared(alive, beat) && performance.now() < until) {
      await sleep(DECLARED_POLL_MS)
      beat = await this.#sendHeartbeat()
      if (beat.epoch !== this.#epoch) return this.#adopt(beat)
    }
  }

  async #acquire(): Promise<void> {
    await this.#client.set(this.key, '1', 'PX', this.leaseMs)
  }

  async #sendHeartbeat(): Promise<Heartbeat> {
    this.#heartbeats += 1
    const number = this.#heartbeats
    const disconnects = this.#disconnects
    const acknowledgedAt = { steadyMs: performance.now(), wallMs: Date.now() }
    const values = [this.leaseMs, this.id, this.#epoch, this.#lastAcknowledged, number, randomUUID(), this.#declaredIn]
    const beat = readHeartbeat(await HEARTBEAT.run(this.#client, [this.key, this.epochKey], values))
    this.#lastAcknowledged = Math.max(this.#lastAcknowledged, number)
    this.#acknowledgedAt = acknowledgedAt
    if (!beat.inTime) this.#lateHeartbeats += 1
    if (!beat.kept) this.#lostHeartbeat = true
    if (beat.epoch === this.#epoch) {
      if (disconnects === this.#disconnects) this.#connectionBroke = false
      const recent = beat.peers.filter(({ process, ageMs }) => process !== this.id && ageMs < this.leaseMs)
      this.#alive = new Set(recent.map(({ process }) => process))
    }
    return beat
  }

  async #runHeartbeatTasks(): Promise<void> {
    for (const task of this.#heartbeatTasks) await task()
  }

  readonly #recordDisconnect = (): void => {
    this.#disconnects += 1
    this.#connectionBroke = true
  }

  /** Continues during a resync: a process out of touch is still alive. */
  readonly #renewSoon = (): void => {
    this.#sendHeartbeat()
      .then((beat) => (beat.inTime && beat.epoch === this.#declaredIn ? this.#runHeartbeatTasks() : this.resync()))
      // A renewal fails only after the connection was closed permanently: then the lease must expire.
      .catch(() => undefined)
  }
}

/** A process `id` is alive while the key of this prefix and its id exists. */
export const processKeyPrefix = (pipeline: string): string => `${redisPrefix(pipeline)}:process:`

/**
 * Runs a script that judges other processes or takes something. Repeats it until this process is in touch and the
 * connection stays unbroken: the script may have run on a Redis that had just lost data.
 */
export async function runInTouch<Reply>(
  lease: ProcessLease,
  run: () => Promise<Reply>,
): Promise<Exclude<Reply, typeof RESYNC_FIRST>> {
  for (;;) {
    await lease.ready()
    const before = lease.disconnects
    const answer = await run()
    if (answer !== RESYNC_FIRST && before === lease.disconnects) return answer as Exclude<Reply, typeof RESYNC_FIRST>
    await lease.resync()
  }
}
