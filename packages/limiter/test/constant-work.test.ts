import { afterAll, beforeAll, expect, test } from 'vitest'
import { limiterCost } from '../../../bench/limiter/cost.ts'
import { duplicate, gateKeys, type RedisClient } from '../src/scripts.ts'
import { Random } from '../../../test/support/random.ts'
import { startTestRedis, type TestRedis } from '../../../test/support/redis.ts'
import { type AskScript, scriptsOf } from './scripts-of.ts'
import { seedFrom } from '../../../test/support/seed.ts'

/*
 * The scripts do the same work whatever has gathered: requests in flight, processes that wait, requests ever sent. Redis
 * counts the commands that a script runs. WORK_SEED=N draws others.
 */

const SEED = seedFrom('WORK_SEED', 1)
const ROUNDS = 6
/** Of Redis itself, or of the count. */
const NOT_COUNTED = new Set(['info', 'eval', 'evalsha', 'psubscribe', 'config|resetstat', 'client|setinfo'])

interface Gathered {
  readonly inFlight: number
  readonly waiting: number
  readonly sentBefore: number
}
/** Commands in one call: an `acquire` that must wait, a `release` that hands its place over, one that does not, an `acquire` that is granted. */
type Work = Readonly<Record<'waits' | 'handsOver' | 'releases' | 'acquires', number>>

let server: TestRedis
let listener: RedisClient
beforeAll(async () => {
  server = await startTestRedis()
  listener = duplicate(server.connection)
  await listener.psubscribe('wake:*')
})
afterAll(async () => {
  listener.disconnect()
  await server[Symbol.asyncDispose]()
})

async function commandsOf(call: () => Promise<unknown>): Promise<number> {
  await server.connection.config('RESETSTAT')
  await call()
  const lines = (await server.connection.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gmu)
  return [...lines].reduce((sum, [, name = '', calls]) => sum + (NOT_COUNTED.has(name) ? 0 : Number(calls)), 0)
}

/** The most commands of each call over some rounds, and the size of what the law keeps. */
async function measure({ inFlight, waiting, sentBefore }: Gathered): Promise<{ work: Work; stateBytes: number }> {
  const keys = gateKeys('sluice', `work-${inFlight}-${waiting}-${sentBefore}`)
  let now = 1_000_000
  const ask: AskScript = (process, script, more) =>
    scriptsOf(server.connection, keys, { placesCeiling: inFlight, now })(process, script, more)
  const acquire = (process: string, id: string) => ask(process, 'acquire', { id, more: true })
  const release = (process: string, id: string, next?: string) => {
    const permit = { id, sentAt: now - 200, ahead: inFlight - 1, seq: 1, bound: true }
    const accepted = { kind: 'accepted', queuedMs: 0, durationMs: 200 }
    return ask(process, 'release', {
      id,
      permit,
      ...accepted,
      ...(next && { next: { id: next, more: true } }),
    })
  }
  for (let i = 0; i < sentBefore; i += 1) {
    now += 10
    const pair = [acquire('own', `own-before-${i}`), release('own', `own-before-${i}`)]
    if (i % 100 === 0) await Promise.all(pair)
  }
  await Promise.all(Array.from({ length: inFlight }, (_, i) => acquire('own', `own-${i}`)))
  await Promise.all(Array.from({ length: waiting }, (_, i) => acquire(`other${i}`, `other${i}-0`)))
  const work = { waits: 0, handsOver: 0, releases: 0, acquires: 0 }
  const count = async (of: keyof Work, call: () => Promise<unknown>): Promise<void> => {
    now += 1
    work[of] = Math.max(work[of], await commandsOf(call))
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await count('waits', () => acquire('own', `own-late-${round}`))
    await count('handsOver', () => release('own', `own-${2 * round}`, `own-next-${round}`))
    await count('releases', () => release('own', `own-${2 * round + 1}`))
    await count('acquires', () => acquire('own', `own-again-${round}`))
  }
  return { work, stateBytes: await server.connection.hstrlen(keys.state, 'law:10') }
}

test('commands of a call and the size of the state do not grow with requests in flight, waiting processes or age', async () => {
  const few = await measure({ inFlight: 2 * ROUNDS, waiting: 2, sentBefore: 60 })
  const random = new Random(SEED)
  for (let draw = 0; draw < 2; draw += 1) {
    const gathered = {
      inFlight: 100 + random.below(700),
      waiting: 20 + random.below(300),
      sentBefore: 100 + random.below(900),
    }
    const { work, stateBytes } = await measure(gathered)
    const shown = `seed ${SEED}: ${JSON.stringify({ gathered, few, work, stateBytes })}`
    for (const of of Object.keys(work) as (keyof Work)[])
      expect(work[of], `${of}, ${shown}`).toBeLessThanOrEqual(few.work[of] + 2)
    expect(stateBytes, shown).toBeGreaterThan(100)
    expect(stateBytes, shown).toBeLessThan(3_000)
  }
})

test('a document takes at most two script calls when its service answers at once', async () => {
  const { scriptCalls } = await limiterCost(server, 50, 300)
  expect(scriptCalls).toBeGreaterThan(0.5)
  expect(scriptCalls).toBeLessThan(2.1)
})
