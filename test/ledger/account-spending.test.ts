import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recipeHash } from '#src/document/ids.ts'
import type { Charge, Reservation } from '#src/document/spending.ts'
import { AccountSpending, type Budget, creditsOf } from '#src/ledger/account-spending.ts'
import { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import { takeSnapshot } from '../support/redis-snapshot.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'

let redis: TestRedis
beforeAll(async () => void (redis = await startTestRedis()))
afterAll(() => redis[Symbol.asyncDispose]())

const recipe = recipeHash('0123456789abcdef')
const month = `month:${new Date().toISOString().slice(0, 7)}`
/** A process declares at each beat: every third of it. */
const LEASE_MS = 600
let opened = 0

/** An API key with a budget, and processes of different queues that spend from it. */
function account(limitCredits: number | null, budgets: readonly Budget[] = [{ per: 'month', limitCredits }]) {
  opened += 1
  const name = `account-${opened}`
  const { connection } = redis
  let processes = 0
  const open = async () => {
    processes += 1
    const lease = await ProcessLease.open({ connection, pipeline: `${name}-${processes}`, leaseMs: LEASE_MS })
    const queue = new RedisSpending({ connection, pipeline: `${name}-${processes}`, lease })
    const spending = await AccountSpending.open({ connection, lease, queue, account: name, budgets })
    return Object.assign(spending, { lease })
  }
  const credits = async (of: Budget['per'] = 'month') => (await creditsOf(connection, name))[of]
  return { open, credits, key: (last: string) => `{sluice:gate:${name}}:${last}` }
}

async function reserved(spending: AccountSpending, credits: number): Promise<Reservation> {
  const reserving = await spending.reserve(recipe, credits)
  if (reserving.kind !== 'reserved') throw new Error(JSON.stringify(reserving))
  return reserving.reservation
}

const pay = async (spending: AccountSpending, credits: number, charge: Charge = credits): Promise<void> =>
  spending.conclude(await reserved(spending, credits), charge)

describe('the budget of an API key', () => {
  test('counts the reservation, then the charge: zero for an unsent request, all for a lost answer', async () => {
    const { open, credits } = account(null)
    const spending = await open()
    const reservation = await reserved(spending, 10)
    expect(await credits()).toEqual({ held: 10, spent: 0 })
    await spending.conclude(reservation, 7)
    for (const charge of ['unsent', 'unknown'] as const) await pay(spending, 10, charge)
    expect(await credits()).toEqual({ held: 0, spent: 17 })
  })

  test('reports spent, allowed and needed credits at its end, and waits for requests in flight', async () => {
    const { open } = account(500)
    const spending = await open()
    await pay(spending, 497)
    const last = await reserved(spending, 2)
    expect(await spending.reserve(recipe, 3)).toEqual({
      kind: 'wait',
      reason: 'requests in flight may use up the budget',
    })
    await spending.conclude(last, 2)
    expect(await spending.reserve(recipe, 2)).toEqual({
      kind: 'over',
      message:
        `the budget for the month ${month.slice('month:'.length)} is 500 credits: 499 are spent and the next document ` +
        'needs 2. Raise it to go on; every waiting document is kept.',
    })
  })

  test('is used by four processes and never exceeded', async () => {
    const { open, credits } = account(200)
    const spenders = await Promise.all([open(), open(), open(), open()])
    const spend = async (spending: AccountSpending): Promise<number> => {
      const reserving = await spending.reserve(recipe, 3)
      if (reserving.kind === 'over') return 0
      if (reserving.kind === 'reserved') await spending.conclude(reserving.reservation, 3)
      return (reserving.kind === 'reserved' ? 3 : 0) + (await spend(spending))
    }
    const slots = spenders.flatMap((spending) => Array.from({ length: 8 }, () => spend(spending)))
    expect((await Promise.all(slots)).reduce((sum, spent) => sum + spent, 0)).toBe(198)
    expect(await credits()).toEqual({ held: 0, spent: 198 })
  })

  test('applies together with the cap of the queue and the shared spending of a process', async () => {
    const run = { per: 'run', run: 'r1', limitCredits: 5 } as const
    const { open, credits } = account(null, [run, { per: 'month', limitCredits: 100 }])
    const [one, two] = [await open(), await open()]
    await pay(one, 3)
    expect(await two.reserve(recipe, 3)).toMatchObject({
      kind: 'over',
      message: expect.stringContaining('the budget for this run is 5 credits: 3 are spent'),
    })
    expect([await credits('run'), await credits()]).toEqual([
      { held: 0, spent: 3 },
      { held: 0, spent: 3 },
    ])
  })

  test('that was half used under 0.2.0 stays half used, and a reservation of a dead process counts as spent', async () => {
    const { open, credits, key } = account(10)
    await redis.connection.hset(key('budget'), { [`${month}:spent`]: '5', [`${month}:held`]: '2' })
    await redis.connection.hset(key('held'), '5f0c99aa-3', JSON.stringify({ credits: 2, scopes: [month] }))
    const spending = await open()
    expect(await spending.reserve(recipe, 6)).toMatchObject({ kind: 'over' })
    await until('the reservation is spent', 5_000, async () => (await credits())?.spent === 7)
    expect(await credits()).toEqual({ held: 0, spent: 7 })
    await pay(spending, 3)
    expect(await spending.reserve(recipe, 1)).toMatchObject({ kind: 'over' })
  })

  test('regains no credits of a process that died before its charge was known', async () => {
    const { open, credits } = account(10)
    const [living, dead] = [await open(), await open()]
    await reserved(dead, 4)
    await dead.lease[Symbol.asyncDispose]()
    expect(await living.reserve(recipe, 7)).toMatchObject({ kind: 'wait' })
    await until('its reservation is spent', 10_000, async () => (await credits())?.spent === 4)
    expect(await living.reserve(recipe, 7)).toMatchObject({ kind: 'over' })
  })
})

test('the credits of an API key cover all runs and the last month', async () => {
  const { credits, key } = account(null)
  expect([await credits('run'), await credits()]).toEqual([null, null])
  const fields = {
    'run:a:held': 1,
    'run:a:spent': 2,
    'run:b:held': 3,
    'month:2026-10:spent': 8,
    'month:2026-11:spent': 6,
  }
  await redis.connection.hset(key('budget'), fields)
  expect([await credits('run'), await credits()]).toEqual([
    { held: 4, spent: 2 },
    { held: 0, spent: 6 },
  ])
})

describe('after a data loss, the budget of an API key', () => {
  test('keeps spent and reserved credits', async () => {
    const { open, credits } = account(10)
    const spending = await open()
    await pay(spending, 4)
    const reservation = await reserved(spending, 3)
    await redis.connection.flushall()
    expect(await spending.reserve(recipe, 4)).toMatchObject({ kind: 'wait' })
    expect(await credits()).toEqual({ held: 3, spent: 4 })
    await spending.conclude(reservation, 3)
    expect(await credits()).toEqual({ held: 0, spent: 7 })
    expect(await spending.reserve(recipe, 4)).toMatchObject({ kind: 'over' })
  })

  test('spends no reservation twice that a rollback restored', async () => {
    const { open, credits } = account(10)
    const spending = await open()
    const reservation = await reserved(spending, 5)
    const rollBack = await takeSnapshot(redis.connection)
    await spending.conclude(reservation, 2)
    await rollBack()
    await until('it is declared', 10_000, async () => (await credits())?.spent === 2)
    expect(await credits()).toEqual({ held: 0, spent: 2 })
  })

  test('counts the credits in the records of the stores once, however often they are reported', async () => {
    const { open, credits } = account(100)
    const spending = await open()
    const now = new Date()
    for (const [store, recorded] of [
      ['one', 30],
      ['one', 30],
      ['two', 12],
    ] as const) {
      await spending.restore(store, now, recorded)
    }
    expect((await credits())?.spent).toBe(42)
    await pay(spending, 5)
    await spending.restore('one', now, 35)
    expect((await credits())?.spent).toBe(47)
  })

  test('keeps reservations that start or end during its declaration', async () => {
    const { open, credits } = account(100_000)
    const spending = await open()
    let paid = 0
    const end = performance.now() + 6 * LEASE_MS
    const slot = async (): Promise<void> => {
      while (performance.now() < end) {
        await pay(spending, 1)
        paid += 1
      }
    }
    await Promise.all(Array.from({ length: 20 }, slot))
    expect(await credits()).toEqual({ held: 0, spent: paid })
  })
})
