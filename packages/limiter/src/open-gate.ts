import { createHash, randomUUID } from 'node:crypto'
import { RedisGate } from './redis-gate.ts'
import { alivePrefix, duplicate, gateKeys, type RedisClient, wakePrefix } from './scripts.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Clock } from './waiting-line.ts'

export interface GateOptions {
  readonly redis: RedisClient
  /** Prefix of every key, as in the rest of Sluice's Redis. */
  readonly prefix?: string
  /** `gateDigest(…)`: processes with the same digest share this gate. */
  readonly keyDigest: string
  /** Configured limits. Refusals still correct them downwards. */
  readonly ceilings?: {
    readonly requestsPerWindow?: number | null
    readonly concurrency?: number | null
  }
  /** Window of a configured rate, and unit of several waits: a minute (contract); smaller in tests only. */
  readonly windowMs?: number
  /** TTL of a lease: it frees an unreleased place, and is longer than any request may take. */
  readonly leaseMs?: number
  /** Heartbeat timeout, after which the places of a dead process are free. */
  readonly aliveMs?: number
  /**
   * Timeout of a request in line before it returns to the queue. Default 5 s, and a minute or more if it waits for a
   * limit: a returned document is read and hashed again.
   */
  readonly patienceMs?: number
  /**
   * Maximum number of throttled documents that this process holds until they are due; further ones return to the queue.
   */
  readonly maxHeld?: number
  readonly random?: () => number
}

const MINUTE_MS = 60_000

/** Documents that wait for a limit return to the queue no sooner than this. */
const LIMIT_PATIENCE_MS = 60_000

const DEFAULT_LEASE_MS = 6 * MINUTE_MS

const DEFAULT_PATIENCE_MS = 5_000

const DEFAULT_MAX_HELD = 16

const DEFAULT_ALIVE_MS = 15_000

/** Longest delay of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1

const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(Math.ceil(ms), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/**
 * Digest that names the gate of an API key at a service, without the key: limits apply to the team, across processes.
 */
export function gateDigest(baseUrl: string, apiKey: string): string {
  return createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 16)
}

/** Opens this process's side of the gate. It uses `redis` and one more connection for calls. */
export async function openGate(options: GateOptions): Promise<RedisGate> {
  const { redis, keyDigest, prefix = 'sluice', windowMs = MINUTE_MS, patienceMs = DEFAULT_PATIENCE_MS } = options
  const keys = gateKeys(prefix, keyDigest)
  const process = randomUUID().slice(0, 8)
  const calls = duplicate(redis)
  // The gate still works without calls, but slower. Commands on `redis` also report an error of the connection.
  calls.on('error', () => {})
  const aliveMs = options.aliveMs ?? DEFAULT_ALIVE_MS
  const heartbeat = await Heartbeat.start(redis, `${alivePrefix(keys)}${process}`, aliveMs)
  const gate = new RedisGate({
    redis,
    keys,
    process,
    calls,
    heartbeat,
    windowMs,
    patienceMs,
    limitPatienceMs: options.patienceMs ?? LIMIT_PATIENCE_MS,
    maxHeld: options.maxHeld ?? DEFAULT_MAX_HELD,
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    rateCeiling: options.ceilings?.requestsPerWindow ?? undefined,
    placesCeiling: options.ceilings?.concurrency ?? undefined,
    random: options.random ?? Math.random,
    clock: PROCESS_CLOCK,
  })
  calls.on('message', (_channel: string, inMs: string) => gate.announcePlace(Number(inMs)))
  const channel = `${wakePrefix(keys)}${process}`
  await calls.subscribe(channel)
  // A lost connection may have missed a call.
  const subscribeAgain = (): Promise<void> => calls.subscribe(channel).then(() => gate.announcePlace(0))
  calls.on('ready', () => void subscribeAgain().catch(() => undefined))
  keepDeclaring(gate, calls, aliveMs)
  return gate
}

/** Redis may lose data at any moment without a sign: each declaration makes it agree with this process again. */
function keepDeclaring(gate: RedisGate, calls: RedisClient, aliveMs: number): void {
  const declare = (): void => void gate.redeclare().catch(() => undefined)
  const timer = setInterval(declare, aliveMs / 3).unref()
  calls.on('ready', declare)
  // The gate was disposed of, so the end is final.
  calls.once('end', () => clearInterval(timer))
}
