import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import { FreeIntents } from '#src/ingest/document/tiers.ts'
import { RedisIntents } from '#src/ledger/redis-intents.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { serverPid, startTestRedis, type TestRedis } from '../support/redis.ts'
import { leasedProcesses } from './leased-processes.ts'
import { elapse, until } from '../support/wait.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const LEASE_MS = 600
const processOf = leasedProcesses(() => redis.connection, LEASE_MS)

const key = sourceKey('reports/with spaces and : colons.pdf')
const other = sourceKey('reports/copy.pdf')
const receipt = receiptId(contentHash('ab'.repeat(32)), recipeHash('0123456789abcdef'))

describe('the claim of a document', () => {
  test('is held once at a time, also within one process, until it is released', async () => {
    const [one, two] = [await processOf('claim'), await processOf('claim')]
    const claim = await one.claims.claim(key)
    expect(await claim?.stillHeld()).toBe(true)
    expect(await one.claims.claim(key)).toBeNull()
    expect(await two.claims.claim(key)).toBeNull()
    expect(await two.claims.claim(other)).not.toBeNull()
    await claim?.release()
    expect(await claim?.stillHeld()).toBe(false)
    expect(await two.claims.claim(key)).not.toBeNull()
  })

  test('has a higher number than all before, also after Redis lost its data', async () => {
    const [one, two] = [await processOf('numbers'), await processOf('numbers')]
    const numbers: (readonly [number, number])[] = []
    for (const { claims } of [one, two, one]) {
      const claim = await claims.claim(key)
      if (claim === null) throw new Error('the document is free')
      numbers.push([claim.number.epoch, claim.number.number])
      await claim.release()
      if (numbers.length === 2) await redis.connection.del('{sluice:numbers}:epoch')
    }
    const [first = [0, 0]] = numbers
    expect(numbers).toEqual([first, [first[0], first[1] + 1], [first[0] + 1, expect.any(Number)]])
  })

  test('outlasts the lease while its process lives', async () => {
    const [one, two] = [await processOf('alive'), await processOf('alive')]
    const claim = await one.claims.claim(key)
    await elapse(3 * LEASE_MS, 'the lease would end without a heartbeat')
    expect(await two.claims.claim(key)).toBeNull()
    expect(await claim?.stillHeld()).toBe(true)
  })

  test('of a dead process is free after the lease, and the process that lost it may not commit', async () => {
    const connection = await connectRedis({ url: redis.url })
    const [dead, next] = [await processOf('dead', connection), await processOf('dead')]
    const lost = await dead.claims.claim(key)
    connection.disconnect()
    await until('the claim is free', 3000, async () => (await next.claims.claim(key)) !== null)
    await connection.connect()
    expect(await lost?.stillHeld()).toBe(false)
    await lost?.release()
    expect(await dead.claims.claim(key)).toBeNull()
    connection.disconnect()
  })

  test('stays open to its own process when Redis refuses its release', async () => {
    const user = ['on', '>secret', '~*', '&*', '+@all']
    await redis.connection.acl('SETUSER', 'refused', ...user, '-hdel')
    const connection = await connectRedis({ url: redis.url })
    await connection.auth('refused', 'secret')
    const [one, two] = [await processOf('refused', connection), await processOf('refused')]
    const claim = await one.claims.claim(key)
    await expect(claim?.release()).rejects.toThrow("can't run this command")
    expect(await two.claims.claim(key)).toBeNull()
    const again = await one.claims.claim(key)
    expect(await again?.stillHeld()).toBe(true)
    expect(await one.claims.claim(key)).toBeNull()
    await redis.connection.acl('SETUSER', 'refused', '+hdel')
    await again?.release()
    expect(await two.claims.claim(key)).not.toBeNull()
    connection.disconnect()
  })

  test('whose removal Redis refused is free soon after Redis recovers, and so is an intent', async () => {
    const user = ['on', '>secret', '~*', '&*', '+@all']
    await redis.connection.acl('SETUSER', 'retried', ...user, '-hdel')
    const connection = await connectRedis({ url: redis.url })
    await connection.auth('retried', 'secret')
    const [one, two] = [await processOf('retried', connection), await processOf('retried')]
    const claim = await one.claims.claim(key)
    await one.intents.begin(receipt, key)
    await expect(claim?.release()).rejects.toThrow("can't run this command")
    await expect(one.intents.clear(receipt)).rejects.toThrow("can't run this command")
    expect(await two.claims.claim(key)).toBeNull()
    expect(await two.intents.begin(receipt, other)).toBe('busy')
    await redis.connection.acl('SETUSER', 'retried', '+hdel')
    await until('the claim is free', 3 * LEASE_MS, async () => (await two.claims.claim(key)) !== null)
    await until('the intent is free', 3 * LEASE_MS, async () => (await two.intents.begin(receipt, other)) === 'begun')
    connection.disconnect()
  })

  test('in use when its process closes the lease is free only after the lease', async () => {
    const [one, two] = [await processOf('letting-go'), await processOf('letting-go')]
    const claim = await one.claims.claim(key)
    const done = await one.claims.claim(other)
    await done?.release()
    await one.lease[Symbol.asyncDispose]()
    expect(await two.claims.claim(other)).not.toBeNull()
    expect(await two.claims.claim(key)).toBeNull()
    await until('the claim is free', 3000, async () => (await two.claims.claim(key)) !== null)
    expect(await claim?.stillHeld()).toBe(false)
  })

  test.each(['frozen', 'killed'])('outlives an outage longer than the lease, with the server %s', async (how) => {
    const [mine, theirs] = [await connectRedis({ url: redis.url }), await connectRedis({ url: redis.url })]
    const [one, two] = [await processOf(how, mine), await processOf(how, theirs)]
    const claim = await one.claims.claim(key)
    const server = await serverPid(redis.connection)
    process.kill(server, 'SIGSTOP')
    const asked = two.claims.claim(key)
    await elapse(2 * LEASE_MS, 'Redis is away for longer than a lease')
    process.kill(server, how === 'frozen' ? 'SIGCONT' : 'SIGKILL')
    expect([await asked, await two.claims.claim(key)]).toEqual([null, null])
    expect(await claim?.stillHeld()).toBe(true)
    mine.disconnect()
    theirs.disconnect()
  })
})

describe('the intent of a request', () => {
  test('prevents the concurrent purchase of a copy', async () => {
    const [one, two] = [await processOf('copy'), await processOf('copy')]
    expect(await one.intents.begin(receipt, key)).toBe('begun')
    expect(await two.intents.begin(receipt, other)).toBe('busy')
    expect(await one.intents.begin(receipt, other)).toBe('busy')
    expect(await two.intents.list()).toMatchObject([{ receipt, key, state: 'in_flight' }])
    await one.intents.clear(receipt)
    expect(await two.intents.list()).toEqual([])
    expect(await two.intents.begin(receipt, other)).toBe('begun')
  })

  test('allows another attempt at the same document, counted as ambiguous when it was not cleared', async () => {
    const [one, two] = [await processOf('again'), await processOf('again')]
    expect(await one.intents.begin(receipt, key)).toBe('begun')
    await one.intents.clear(receipt)
    expect(await one.intents.begin(receipt, key)).toBe('begun')
    expect(await two.intents.ambiguousTotal()).toBe(0)
    expect(await two.intents.begin(receipt, key)).toBe('again')
    expect(await one.intents.ambiguousTotal()).toBe(1)
    // What a process has left when it ends was cut off.
    expect(await two.intents.ambiguousTotal()).toBe(2)
  })

  test('is cleared only by the process that holds it', async () => {
    const [one, two] = [await processOf('own'), await processOf('own')]
    await one.intents.begin(receipt, key)
    await two.intents.begin(receipt, key)
    await one.intents.clear(receipt)
    expect(await two.intents.list()).toHaveLength(1)
    await two.intents.clear(receipt)
    expect(await two.intents.list()).toEqual([])
  })

  test('of a dead process is ambiguous, and stays counted when the request is sent again', async () => {
    const connection = await connectRedis({ url: redis.url })
    const [dead, next] = [await processOf('ambiguous', connection), await processOf('ambiguous')]
    const before = Date.now()
    await dead.intents.begin(receipt, key)
    connection.disconnect()
    await until('it is ambiguous', 3000, async () => (await next.intents.list())[0]?.state === 'ambiguous')
    const [intent] = await next.intents.list()
    expect(intent).toMatchObject({ receipt, key })
    expect(intent?.sentAt).toBeGreaterThanOrEqual(before)
    expect(await next.intents.ambiguousTotal()).toBe(1)
    expect(await next.intents.begin(receipt, other)).toBe('again')
    await next.intents.clear(receipt)
    expect(await next.intents.list()).toEqual([])
    expect(await next.intents.ambiguousTotal()).toBe(1)
  })
})

test('an ambiguous request is held, when the settings require it, for each of its documents until its release', async () => {
  const connection = await connectRedis({ url: redis.url })
  const [dead, next] = [await processOf('held', connection), await processOf('held')]
  await dead.intents.begin(receipt, key)
  connection.disconnect()
  const holding = new RedisIntents({
    connection: redis.connection,
    pipeline: 'held',
    lease: next.lease,
    now: Date.now,
    onAmbiguous: 'hold',
  })
  await until('it is in doubt', 3000, async () => (await holding.begin(receipt, key)) === 'held')
  expect(await holding.begin(receipt, other)).toBe('held')
  expect(await holding.list()).toMatchObject([{ key, state: 'ambiguous' }])
  expect(await holding.ambiguousTotal()).toBe(1)
  await holding.release(receipt, key)
  await holding.release(receipt, key)
  expect(await holding.list()).toEqual([])
  expect(await holding.begin(receipt, key)).toBe('begun')
  await holding.release(receipt, key)
  expect(await holding.list()).toMatchObject([{ key, state: 'in_flight' }])
  await holding.clear(receipt)
  expect(await holding.ambiguousTotal()).toBe(1)
})

test('an ambiguous paid request stays held while the engine parses the same document or a copy', async () => {
  const { lease, intents } = await processOf('free')
  const held = new RedisIntents({
    connection: redis.connection,
    pipeline: 'free',
    lease,
    onAmbiguous: 'hold',
    now: Date.now,
  })
  await intents.begin(receipt, key)
  expect(await held.begin(receipt, key)).toBe('held')
  for (const name of [key, other]) {
    const free = new FreeIntents(held)
    expect(await free.begin(receipt, name)).toBe('begun')
    expect(free.isValid(receipt)).toBe(true)
    await free.clear(receipt)
    await free.conclude(receipt, name)
  }
  expect((await held.list()).map(({ receipt: of, state }) => [of, state])).toEqual([[receipt, 'ambiguous']])
  expect(await held.begin(receipt, key)).toBe('held')
})
