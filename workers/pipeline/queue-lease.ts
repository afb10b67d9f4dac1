import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Join,
  judgeLease,
  type LeaseProcess,
  leaseJson,
  leaseMs,
  type LeaseVerdict,
  parseLease,
  type QueueLease,
  renewed,
  without,
} from '#src/document/queue-lease.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { pidSpace, processStart } from '#src/outputs/folder/files/work-owner.ts'
import type { LeaseStorage, StoredLease } from '#src/ports/lease-storage.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { settlesWithin } from '#src/redis/settles-within.ts'

export interface QueueLeaseOptions {
  readonly store: Pick<OutputStore, 'url' | 'lease' | 'manifest'>
  readonly connection: RedisConnection
  readonly join: Join
  /** Called once with a sentence when another queue has taken the store: purchases must stop here. */
  readonly onLost: (message: string) => void
}

/**
 * After a loss in Redis live processes declare their holdings within a second or two. A queue that seemed foreign is
 * ours then.
 */
const DECLARED_WITHIN_MS = 3_000
const POLL_MS = 100
/** Retries after conflicts with processes of the same queue that renew at the same moment. */
const TRIES = 10
/** A hanging store does not delay the end: the lease expires, or ends with this process. */
const CLOSE_PATIENCE_MS = 1_000

/** This process's share of a store's lease. Renewed until disposal, which releases it. */
export interface HeldLease extends AsyncDisposable {
  /** Writes the id of the queue into Redis, which may have lost it. */
  declare(): Promise<unknown>
}

/**
 * Takes the lease of the store for the queue in this Redis.
 *
 * @throws {StoreRefused} if processes of another queue hold it
 */
export async function takeQueueLease(options: QueueLeaseOptions, signal: AbortSignal): Promise<HeldLease> {
  const { lease: storage } = options.store
  // A caller's store may have none.
  if (storage === undefined) return { declare: async () => undefined, [Symbol.asyncDispose]: async () => undefined }
  const lease = new Lease(options, storage, `sluice:queue:${(await options.store.manifest.read())?.id ?? ''}`)
  await lease.take(signal)
  return lease
}

class Lease implements HeldLease {
  readonly #options: QueueLeaseOptions
  readonly #storage: LeaseStorage
  readonly #key: string
  readonly #own: Promise<Omit<LeaseProcess, 'at'>> = ownProcess()
  #queue: string = randomUUID()
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> | null = null

  constructor(options: QueueLeaseOptions, storage: LeaseStorage, key: string) {
    this.#options = options
    this.#storage = storage
    this.#key = key
  }

  async take(signal: AbortSignal): Promise<void> {
    this.#queue = (await this.#options.connection.get(this.#key)) ?? this.#queue
    let watched: string | undefined
    for (;;) {
      signal.throwIfAborted()
      const stored = await this.#storage.read()
      const { lease, verdict, dead } = await this.#judge(stored)
      const isSilent = verdict.kind === 'silent' && (watched ?? stored?.version) === stored?.version
      if (isSilent && watched === undefined) {
        watched = stored?.version
        await sleep(1.5 * this.#storage.beatMs, undefined, { signal })
      } else if (lease !== null && !isSilent && 'holder' in verdict) {
        if (!(await this.#joins(lease))) throw new StoreRefused(this.#refusal(lease, verdict.holder))
      } else if (await this.#write(stored, lease, dead)) break
    }
    await this.declare()
    this.#timer = setInterval(() => this.#renewSoon(), this.#storage.beatMs).unref()
  }

  async declare(): Promise<unknown> {
    return this.#options.connection.set(this.#key, this.#queue)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    const release = async (): Promise<void> => {
      await this.#renewing
      const { id } = await this.#own
      for (let tries = 0; tries < TRIES; tries++) {
        const stored = await this.#storage.read()
        const lease = stored === null ? null : parseLease(stored.text)
        if (stored === null || lease?.queue !== this.#queue) return
        if (await this.#storage.write(leaseJson(without(lease, id)), stored.version)) return
      }
    }
    await settlesWithin(release(), CLOSE_PATIENCE_MS)
  }

  /** An unavailable or full store changes nothing: the next heartbeat retries. */
  #renewSoon(): void {
    this.#renewing ??= this.#renew()
      .catch(() => undefined)
      .finally(() => (this.#renewing = null))
  }

  async #renew(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const stored = await this.#storage.read()
      const { lease, verdict, dead } = await this.#judge(stored)
      if (verdict.kind === 'held' || verdict.kind === 'silent') {
        clearInterval(this.#timer)
        const { url } = this.#options.store
        const how = lease === null ? '' : `. ${howToJoin(lease.join)}`
        return this.#options.onLost(
          `another queue took over the store ${url}, because this process did not renew its lease in time${how}`,
        )
      }
      if (await this.#write(stored, lease, dead)) return
    }
  }

  async #judge(stored: StoredLease | null): Promise<Judged> {
    const lease = stored === null ? null : parseLease(stored.text)
    const dead = await deadOf(lease, await this.#own)
    const view = { queue: this.#queue, now: Date.now(), beatMs: this.#storage.beatMs, dead }
    return { lease, dead, verdict: judgeLease(lease, view) }
  }

  async #write(stored: StoredLease | null, lease: QueueLease | null, dead: ReadonlySet<string>): Promise<boolean> {
    const now = Date.now()
    const view = { queue: this.#queue, join: this.#options.join, now, beatMs: this.#storage.beatMs, dead }
    const next = renewed(lease, { ...(await this.#own), at: now }, view)
    return this.#storage.write(leaseJson(next), stored?.version ?? null)
  }

  /** True if the holder's queue is in our Redis after all: the queue started, or lost its data, a moment ago. */
  async #joins({ queue }: QueueLease): Promise<boolean> {
    const until = performance.now() + DECLARED_WITHIN_MS
    while (performance.now() < until) {
      if ((await this.#options.connection.get(this.#key)) === queue) {
        this.#queue = queue
        return true
      }
      await sleep(POLL_MS)
    }
    return false
  }

  #refusal({ join }: QueueLease, { host, pid, at }: LeaseProcess): string {
    const lasts = leaseMs(this.#storage.beatMs)
    const seconds = Math.min(Math.max(1, Math.ceil((at + lasts - Date.now()) / 1000)), Math.ceil(lasts / 1000))
    return (
      `another queue works on the store ${this.#options.store.url} (process ${pid} on ${host}), and two queues would buy every ` +
      `document twice. ${howToJoin(join)}, or wait until it ends. If that process is dead, its lease expires in ${seconds} s`
    )
  }
}

interface Judged {
  readonly lease: QueueLease | null
  readonly verdict: LeaseVerdict
  readonly dead: ReadonlySet<string>
}

const howToJoin = (join: Join): string =>
  join.kind === 'redis'
    ? `To join it, add --redis-url ${join.url} (with its password, if it has one)`
    : `To join it on that host, add --state-dir ${join.stateDir}; workers on several hosts need a common --redis-url`

async function ownProcess(): Promise<Omit<LeaseProcess, 'at'>> {
  const [space, start] = await Promise.all([pidSpace(), processStart(process.pid)])
  return { id: randomUUID().slice(0, 13), host: hostname(), pidSpace: space, pid: process.pid, start }
}

/** Ended processes of our boot and PID namespace. */
async function deadOf(lease: QueueLease | null, own: Pick<LeaseProcess, 'pidSpace'>): Promise<ReadonlySet<string>> {
  const dead = new Set<string>()
  for (const { id, pidSpace: space, pid, start } of lease?.processes ?? []) {
    if (space !== null && space === own.pidSpace && (await processStart(pid)) !== start) dead.add(id)
  }
  return dead
}
