import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DECLARE as CLAIMS } from '#src/ledger/claim-scripts.ts'
import { DECLARE as INTENTS } from '#src/ledger/intent-scripts.ts'
import type { ProcessLease } from '#src/ledger/process-lease.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { takeSnapshot } from '../support/redis-snapshot.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { leasedProcesses } from './leased-processes.ts'
import { until } from '../support/wait.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const LEASE_MS = 900
const NOTICED_MS = 3_000
const processOf = leasedProcesses(() => redis.connection, LEASE_MS)

const key = sourceKey('a.pdf')
const other = sourceKey('b.pdf')
const receipt = receiptId(contentHash('ab'.repeat(32)), recipeHash('0123456789abcdef'))
const second = receiptId(contentHash('cd'.repeat(32)), recipeHash('0123456789abcdef'))

/**
 * A connection on which something overtakes a declaration: Redis lost its scripts too, so the declaration is sent a second
 * time, and the work is done just before that.
 */
async function overtakingConnection(declaration: typeof CLAIMS) {
  const connection = await connectRedis({ url: redis.url })
  const send = connection.eval.bind(connection) as (...values: unknown[]) => Promise<unknown>
  return {
    connection,
    async declareAfter(lease: ProcessLease, work: () => Promise<void>): Promise<void> {
      let overtaken = false
      const afterWork = async (...values: unknown[]): Promise<unknown> => {
        if (values[0] === declaration.text && !overtaken) {
          overtaken = true
          await work()
        }
        return send(...values)
      }
      await redis.connection.flushall()
      await redis.connection.script('FLUSH')
      Object.assign(connection, { eval: afterWork })
      await lease.resync()
      expect(overtaken).toBe(true)
    },
    [Symbol.dispose]: () => connection.disconnect(),
  }
}

describe('a process notices that Redis lost data', () => {
  test('when everything was removed under its open connection', async () => {
    const { lease } = await processOf('flushed')
    await redis.connection.flushall()
    await until('the loss is noticed', NOTICED_MS, () => lease.losses === 1)
    expect(await lease.isLedgerComplete()).toBe(false)
  })

  test('when Redis was rolled back to a state with the same epoch key', async () => {
    const { lease } = await processOf('rolled-back')
    await lease.markLedgerComplete()
    const rollBack = await takeSnapshot(redis.connection)
    await lease.resync()
    await rollBack()
    await until('the loss is noticed', NOTICED_MS, () => lease.losses === 1)
    expect(await lease.isLedgerComplete()).toBe(false)
  })

  test('when the server was replaced or restarted, though no data is missing', async () => {
    const { lease } = await processOf('restarted')
    await lease.markLedgerComplete()
    await redis.killServer()
    await until('the restart is noticed', 10_000, () => lease.losses === 1)
    expect(await lease.isLedgerComplete()).toBe(true)
  })

  test('but not when Redis only receives many commands', async () => {
    const [one, two] = [await processOf('quiet'), await processOf('quiet')]
    for (let time = 0; time < 20; time++) await Promise.all([one.lease.resync(), two.lease.resync()])
    expect([one.lease.losses, two.lease.losses]).toEqual([0, 0])
  })

  test('when another process noticed first and has written since', async () => {
    const [mine, theirs] = [await connectRedis({ url: redis.url }), await connectRedis({ url: redis.url })]
    const [one, two] = [await processOf('both', mine), await processOf('both', theirs)]
    await redis.connection.flushall()
    await one.lease.resync()
    await two.lease.resync()
    expect([one.lease.losses, two.lease.losses]).toEqual([1, 1])
    mine.disconnect()
    theirs.disconnect()
  })
})

describe('after Redis was emptied', () => {
  test('a live process keeps its claim, and no other process gets the document', async () => {
    const [one, two] = [await processOf('claims'), await processOf('claims')]
    const claim = await one.claims.claim(key)
    await redis.connection.flushall()
    expect(await two.claims.claim(key)).toBeNull()
    expect(await claim?.stillHeld()).toBe(true)
    await claim?.release()
    expect(await two.claims.claim(key)).not.toBeNull()
  })

  test('a purchase in flight is not repeated by another process for a copy', async () => {
    const [one, two] = [await processOf('intents'), await processOf('intents')]
    expect(await one.intents.begin(receipt, key)).toBe('begun')
    await redis.connection.flushall()
    expect(await two.intents.begin(receipt, other)).toBe('busy')
    await one.intents.clear(receipt)
    expect(await two.intents.begin(receipt, other)).toBe('begun')
  })

  test('a claim released while it is declared again is free for every process', async () => {
    using overtaking = await overtakingConnection(CLAIMS)
    const [one, two] = [await processOf('overtaken', overtaking.connection), await processOf('overtaken')]
    const claim = await one.claims.claim(key)
    await overtaking.declareAfter(one.lease, async () => claim?.release())
    expect(await redis.connection.hgetall(`${redisPrefix('overtaken')}:claims`)).toEqual({})
    expect(await two.claims.claim(key)).not.toBeNull()
  })

  test('an intent cleared while it is declared again leaves no ambiguous request', async () => {
    using overtaking = await overtakingConnection(INTENTS)
    const one = await processOf('overtaken-intent', overtaking.connection)
    await one.intents.begin(receipt, key)
    await overtaking.declareAfter(one.lease, () => one.intents.clear(receipt))
    expect(await redis.connection.hgetall(`${redisPrefix('overtaken-intent')}:intents`)).toEqual({})
  })

  test('a claim that Redis attributes to a process that does not hold it is free for that process', async () => {
    const [one, two] = [await processOf('leftover'), await processOf('leftover')]
    await redis.connection.hset(`${redisPrefix('leftover')}:claims`, key, `${one.lease.id}:99`)
    expect(await two.claims.claim(key)).toBeNull()
    const both = await Promise.all([one.claims.claim(key), one.claims.claim(key)])
    expect(both.filter((claim) => claim !== null)).toHaveLength(1)
    expect(await two.claims.claim(key)).toBeNull()
  })
})

describe('after Redis was rolled back', () => {
  test('claims and intents that a live process released since are gone', async () => {
    const [one, two] = [await processOf('released'), await processOf('released')]
    const claim = await one.claims.claim(key)
    await one.intents.begin(receipt, key)
    const rollBack = await takeSnapshot(redis.connection)
    await claim?.release()
    await one.intents.clear(receipt)
    await one.intents.begin(second, other)
    await one.lease.resync()
    await rollBack()
    await until('the claim is free', NOTICED_MS, async () => (await two.claims.claim(key)) !== null)
    expect(await two.intents.list()).toMatchObject([{ receipt: second, state: 'in_flight' }])
    expect(await two.intents.ambiguousTotal()).toBe(0)
  })
})
