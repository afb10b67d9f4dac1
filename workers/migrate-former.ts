import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentJob } from '#src/ports/queue.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { StoreRefused } from '#src/document/store-refused.ts'
import { processKeyPrefix } from '#src/ledger/process-lease.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { queuedJobs } from '#src/queue/queued-jobs.ts'

/*
 * What a release without `store.json` left in Redis under the addresses of a source and a store goes to the names that
 * both have now. Every step may be done again; what was there goes last, so that a crash in between only repeats it.
 */

export interface Migrated {
  /** Documents that were waiting, or being worked on by a process that is gone. */
  readonly jobs: number
  /** Requests whose answer is unknown: they stay counted, and held where they were. */
  readonly inDoubt: number
}

interface Names {
  readonly former: string
  readonly pipeline: string
}

/** A process of the former release that was killed is still in Redis for as long as its lease: 10 s unless it was set. */
const LEASE_PATIENCE_MS = 12_000
const RECHECK_MS = 200
const LOCK_MS = 120_000
const BATCH = 500

/**
 * Null where there is nothing to migrate.
 *
 * @throws {StoreRefused} while a process of the former release is at work
 */
export async function migrateFormer(
  connection: RedisConnection,
  names: Names,
  signal: AbortSignal,
): Promise<Migrated | null> {
  const { former } = names
  if (!(await hasData(connection, former))) return null
  await refuseLiving(connection, former, signal)
  const lock = `${redisPrefix(former)}:migrating`
  while ((await connection.set(lock, '1', 'PX', LOCK_MS, 'NX')) === null) {
    await sleep(RECHECK_MS, undefined, { signal })
  }
  try {
    if (!(await hasData(connection, former))) return null
    await moveLedger(connection, names, signal)
    const jobs = await moveJobs(connection, names)
    const inDoubt = await copyHash(connection, names, 'intents')
    await copyHash(connection, names, 'resent')
    const left = await keysOf(connection, `${redisPrefix(former)}:*`)
    for (const key of left.filter((name) => name !== lock)) await connection.unlink(key)
    return { jobs, inDoubt }
  } finally {
    await connection.del(lock)
  }
}

async function hasData(connection: RedisConnection, former: string): Promise<boolean> {
  const prefix = redisPrefix(former)
  const keys = [`${prefix}:ledger:counts`, `${prefix}:documents:meta`, `${prefix}:intents`, `${prefix}:resent`]
  return (await connection.exists(...keys)) > 0
}

async function refuseLiving(connection: RedisConnection, former: string, signal: AbortSignal): Promise<void> {
  for (const startedAt = performance.now(); ; await sleep(RECHECK_MS, undefined, { signal })) {
    const living = await keysOf(connection, `${processKeyPrefix(former)}*`)
    if (living.length === 0) return
    if (performance.now() - startedAt < LEASE_PATIENCE_MS) continue
    throw new StoreRefused(
      `${living.length} processes of an earlier release of Sluice are at work on this source and store, and would pay ` +
        'for the same documents. Nothing was changed. Stop them, then start this one again.',
    )
  }
}

/** What is done is found in the store, with who did it; the rest stands in the ledger alone. */
async function moveLedger(
  connection: RedisConnection,
  { former, pipeline }: Names,
  signal: AbortSignal,
): Promise<void> {
  const from = new RedisLedger({ connection, pipeline: former })
  const to = new RedisLedger({ connection, pipeline })
  let batch: Parameters<RedisLedger['adopt']>[0][number][] = []
  for await (const item of from.entries(signal)) {
    if (['done', 'partial'].includes(item[1].outcome)) continue
    batch.push(item)
    if (batch.length < BATCH) continue
    await to.adopt(batch)
    batch = []
  }
  if (batch.length > 0) await to.adopt(batch)
}

async function moveJobs(connection: RedisConnection, { former, pipeline }: Names): Promise<number> {
  await using from = new DocumentQueue({ connection, pipeline: former })
  await using to = new DocumentQueue({ connection, pipeline })
  const jobs: readonly DocumentJob[] = await queuedJobs(connection, former)
  await to.add(jobs)
  if (await from.paused()) await to.pause()
  return jobs.length
}

async function copyHash(connection: RedisConnection, { former, pipeline }: Names, name: string): Promise<number> {
  const fields = Object.entries(await connection.hgetall(`${redisPrefix(former)}:${name}`))
  for (const [field, value] of fields) await connection.hsetnx(`${redisPrefix(pipeline)}:${name}`, field, value)
  return fields.length
}

async function keysOf(connection: RedisConnection, pattern: string): Promise<readonly string[]> {
  const nodes = 'nodes' in connection ? connection.nodes('master') : [connection]
  const found = new Set<string>()
  for (const node of nodes) {
    let cursor = '0'
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', globOf(pattern), 'COUNT', 1_000)
      for (const key of keys) found.add(key)
      cursor = next
    } while (cursor !== '0')
  }
  return [...found]
}

/** Braces of a hash tag mean nothing in a pattern of Redis; brackets would. */
const globOf = (pattern: string): string => pattern.replaceAll(/[[\]\\]/g, '\\$&')
