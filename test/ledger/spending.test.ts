import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recipeHash } from '#src/document/ids.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const recipe = recipeHash('0000000000000001')
let opened = 0

async function openTwo() {
  opened += 1
  const { connection } = redis
  const pipeline = `spending-${opened}`
  const open = async () => {
    const lease = await ProcessLease.open({ connection, pipeline })
    const spending = new RedisSpending({ connection, pipeline, lease })
    return Object.assign(spending, { lease })
  }
  return [await open(), await open()] as const
}

describe('the spending cap of a queue', () => {
  test('binds a process that did not set it, and is lifted by the next run', async () => {
    const [run, worker] = await openTwo()
    await run.setCap('one', 2)
    for (let document = 0; document < 2; document++) {
      const reserving = await worker.reserve(recipe, 1)
      if (reserving.kind !== 'reserved') throw new Error(reserving.kind)
      await worker.conclude(reserving.reservation, 1)
    }
    expect(await worker.reserve(recipe, 1)).toMatchObject({
      kind: 'over',
      message: expect.stringContaining(
        'the budget for this run is 2 credits: 2 are spent and the next document needs 1',
      ),
    })
    await run.setCap('two', null)
    expect((await worker.reserve(recipe, 1)).kind).toBe('reserved')
  })

  test('keeps its fraction', async () => {
    const [run, worker] = await openTwo()
    await run.setCap('one', 0.5)
    expect(await worker.reserve(recipe, 1)).toMatchObject({
      kind: 'over',
      message: expect.stringContaining('the budget for this run is 0.5 credits'),
    })
  })

  test('admits one request of a recipe until its price is known, then reserves that price', async () => {
    const [run, worker] = await openTwo()
    await run.setCap('one', 100)
    const first = await run.reserve(recipe, 1)
    expect(await worker.reserve(recipe, 1)).toMatchObject({ kind: 'wait' })
    if (first.kind === 'reserved') await run.conclude(first.reservation, 40)
    expect((await worker.reserve(recipe, 1)).kind).toBe('reserved')
    expect(await run.reserve(recipe, 1)).toMatchObject({ kind: 'wait' })
    expect(await run.reserve(recipe, 2)).toMatchObject({ kind: 'over' })
    expect(run.expected(recipe, 1)).toBe(40)
  })

  test('counts sent requests without an answer, and frees unsent ones', async () => {
    const [run] = await openTwo()
    await run.setCap('one', 3)
    for (const charge of ['unsent', 'unknown', 1] as const) {
      const reserving = await run.reserve(recipe, 1)
      if (reserving.kind === 'reserved') await run.conclude(reserving.reservation, charge)
    }
    expect((await run.reserve(recipe, 1)).kind).toBe('reserved')
    expect(await run.reserve(recipe, 2)).toMatchObject({ kind: 'over' })
  })

  test('counts a request once when a process presumed dead reports its charge', async () => {
    const [run, worker] = await openTwo()
    await run.setCap('one', 4)
    const buy = async (by: typeof run): Promise<string> => {
      const reserving = await by.reserve(recipe, 1)
      if (reserving.kind === 'reserved') await by.conclude(reserving.reservation, 1)
      return reserving.kind
    }
    await buy(run)
    const silent = await worker.reserve(recipe, 1)
    await redis.connection.del(worker.lease.key)
    await buy(run)
    if (silent.kind === 'reserved') await worker.conclude(silent.reservation, 1)
    expect([await buy(run), await buy(run)]).toEqual(['reserved', 'over'])
  })

  test('survives a loss of data that a process without knowledge of the cap notices first', async () => {
    const [run, worker] = await openTwo()
    await run.setCap('one', 2)
    const first = await run.reserve(recipe, 1)
    if (first.kind === 'reserved') await run.conclude(first.reservation, 2)
    await redis.connection.flushall()
    await worker.lease.resync()
    expect(await run.reserve(recipe, 1)).toMatchObject({ kind: 'over' })
    expect(await worker.reserve(recipe, 1)).toMatchObject({ kind: 'over' })
  }, 240_000)

  test('of a live run is not lifted by a run without a cap, and the lower of two applies', async () => {
    const [run, other] = await openTwo()
    expect(await run.setCap('one', 50)).toBe(50)
    expect(await other.setCap('two', null)).toBe(50)
    expect(await other.setCap('two', 80)).toBe(50)
    expect(await other.setCap('two', 20)).toBe(20)
  })
})
