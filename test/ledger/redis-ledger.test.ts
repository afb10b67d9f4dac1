import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recipeHash, type SourceKey, sourceKey, version } from '#src/document/ids.ts'
import { NO_COUNTS, OUTCOMES, seen } from '#src/document/outcome.ts'
import { decodeEntry, encodeEntry } from '#src/ledger/entry-codec.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import { collect } from '../support/documents.ts'
import { documentJob } from '../support/queue-jobs.ts'
import { Line } from '../support/line.ts'
import { callsOf, startTestRedis, type TestRedis } from '../support/redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const entryOf = (number: number, outcome: LedgerEntry['outcome'] = 'done'): readonly [SourceKey, LedgerEntry] => {
  const { key, version: ofBytes, recipeHash: recipe } = documentJob(number)
  return [key, { version: ofBytes, recipeHash: recipe, outcome }]
}
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
/** Scripts and scans that clients have asked for. */
const commandsRun = (): Promise<number> => callsOf(redis.connection, 'evalsha', 'hscan')
const ledgerOf = (pipeline: string): RedisLedger => new RedisLedger({ connection: redis.connection, pipeline })

describe('an entry of the ledger', () => {
  test.each([...OUTCOMES])('that is %s is read back as written', (outcome) => {
    for (const recipe of ['0123456789abcdef', 'ffffffffffffffff', 'a recipe by name', '']) {
      for (const bytes of ['81920-1700000000000000001-77', '"etag-2"', ':a:b', 'ünïcode ✓']) {
        const entry = { version: version(bytes), recipeHash: recipeHash(recipe), outcome }
        expect(decodeEntry(encodeEntry(entry))).toEqual(entry)
      }
    }
  })
})

describe('RedisLedger', () => {
  test('reads entries in the order of the keys, and null for unknown keys', async () => {
    const ledger = ledgerOf('read')
    await ledger.write(range(2500).map((number) => entryOf(number)))
    const keys = range(2600).map((number) => entryOf(number)[0])
    const entries = await ledger.read([...keys].reverse())
    expect([...entries].reverse()).toEqual([
      ...range(2500).map((number) => entryOf(number)[1]),
      ...range(100).map(() => null),
    ])
    expect(await ledger.read([])).toEqual([])
  })

  test('counts every document once through all its outcomes', async () => {
    const ledger = ledgerOf('counts')
    expect(await ledger.counts()).toEqual(NO_COUNTS)
    await ledger.write(range(10).map((number) => entryOf(number, 'pending')))
    await ledger.write([entryOf(0), entryOf(0), entryOf(1, 'partial'), entryOf(2, 'failed'), entryOf(3, 'skipped')])
    await ledger.write([entryOf(0)])
    expect(await ledger.counts()).toEqual({ pending: 6, done: 1, partial: 1, failed: 1, skipped: 1, gone: 0 })
    await ledger.forget([entryOf(0)[0], entryOf(0)[0], entryOf(9)[0], sourceKey('never seen')])
    const counts = await ledger.counts()
    expect(counts).toEqual({ pending: 5, done: 0, partial: 1, failed: 1, skipped: 1, gone: 0 })
    expect(seen(counts)).toBe(8)
  })

  test('distinguishes an outcome of another process from its own resent one after a lost connection', async () => {
    await using line = await Line.open(redis.url)
    const connection = await connectRedis({ url: line.url })
    try {
      const ledger = new RedisLedger({ connection, pipeline: 'two-ends' })
      const other = ledgerOf('two-ends')
      const [first, second] = [entryOf(1, 'pending'), entryOf(2, 'pending')]
      await ledger.write([first, second])
      expect(await other.settle(first[0], { ...first[1], outcome: 'done' })).toBe('ended')
      line.loseNext('request')
      expect(await ledger.settle(first[0], { ...first[1], outcome: 'done' })).toBe('again')
      expect(await other.settle(second[0], { ...second[1], outcome: 'done' })).toBe('ended')
      line.loseNext('answer')
      expect(await ledger.settle(second[0], { ...second[1], outcome: 'done' })).toBe('again')
      expect(line.lost).toBe(1)
      expect(await ledger.endedTotal()).toBe(2)
    } finally {
      connection.disconnect()
    }
  })

  test('advances unchanged entries, leaves changed ones, and answers the same when resent', async () => {
    const ledger = ledgerOf('advance')
    const [[read, before], [changed, done], [fresh, entry]] = [entryOf(1), entryOf(2), entryOf(3)]
    const pending = { ...done, outcome: 'pending' } as const
    await ledger.write([
      [read, before],
      [changed, done],
    ])
    const changes = [
      { key: read, known: before, entry: { ...before, outcome: 'pending' as const } },
      { key: changed, known: { ...done, outcome: 'failed' as const }, entry: pending },
      { key: fresh, known: null, entry },
    ]
    for (const _ of [1, 2]) expect(await ledger.advance(changes)).toEqual([true, false, true])
    expect(await ledger.read([read, changed, fresh])).toEqual([{ ...before, outcome: 'pending' }, done, entry])
    expect(await ledger.counts()).toEqual({ ...NO_COUNTS, pending: 1, done: 2 })
  })

  test('does not count a pending document as settled that a scan writes back as done', async () => {
    const ledger = ledgerOf('written-back')
    const [key, pending] = entryOf(1, 'pending')
    await ledger.write([[key, pending]])
    expect(await ledger.advance([{ key, known: pending, entry: { ...pending, outcome: 'done' } }])).toEqual([true])
    expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 1 })
    expect(await ledger.endedTotal()).toBe(0)
  })

  test('settles a document once when the answer was lost and the script is sent again', async () => {
    await using line = await Line.open(redis.url)
    const connection = await connectRedis({ url: line.url })
    try {
      const ledger = new RedisLedger({ connection, pipeline: 'lost-answer' })
      const [key, pending] = entryOf(1, 'pending')
      await ledger.write([[key, pending]])
      line.loseNext('answer')
      expect(await ledger.settle(key, { ...pending, outcome: 'done' })).toBe('ended')
      expect(line.lost).toBe(1)
      expect(await ledger.settle(key, { ...pending, outcome: 'done' })).toBe('again')
      expect(await ledger.endedTotal()).toBe(1)
    } finally {
      connection.disconnect()
    }
  })

  test('settles only entries of the same version', async () => {
    const ledger = ledgerOf('settle')
    const [key, pending] = entryOf(1, 'pending')
    const settled = { ...pending, recipeHash: recipeHash('fedcba9876543210'), outcome: 'done' as const }
    await ledger.write([[key, pending]])
    expect(await ledger.settle(key, settled)).toBe('ended')
    expect(await ledger.settle(key, settled)).toBe('again')
    expect(await ledger.endedTotal()).toBe(1)
    expect(await ledger.read([key])).toEqual([settled])
    const newer = { ...pending, version: version(`1${pending.version}`) }
    await ledger.write([[key, newer]])
    expect(await ledger.settle(key, settled)).toBe('other-version')
    expect(await ledger.read([key])).toEqual([newer])
    expect(await ledger.counts()).toEqual({ ...NO_COUNTS, pending: 1 })
  })

  test('settles a document that it does not know after Redis lost its data', async () => {
    const ledger = ledgerOf('unknown')
    const [key, done] = entryOf(1, 'done')
    expect(await ledger.settle(key, done)).toBe('ended')
    expect(await ledger.settle(key, done)).toBe('again')
    expect(await ledger.read([key])).toEqual([done])
    expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 1 })
    expect(await ledger.endedTotal()).toBe(1)
  })

  test('streams every entry once, including long and odd keys', async () => {
    const ledger = ledgerOf('stream')
    const odd = ['a\nb', 'ünïcode/✓.pdf', ' ', `${'long/'.repeat(800)}end.pdf`, 'a'.repeat(64), 'quote"\'\\.pdf']
    const written = new Map([
      ...range(1500).map((number) => entryOf(number)),
      ...odd.map((key) => [sourceKey(key), entryOf(1)[1]] as const),
    ])
    await ledger.write([...written])
    const streamed: (readonly [SourceKey, LedgerEntry])[] = []
    for await (const entry of ledger.entries(AbortSignal.timeout(10_000))) streamed.push(entry)
    expect(streamed.length).toBe(written.size)
    expect(new Map(streamed)).toEqual(written)
  })

  test('streams few entries in few commands, and all entries of a bucket too large for one answer', async () => {
    const ledger = ledgerOf('few')
    const [key, entry] = entryOf(0)
    await ledger.write([[key, entry]])
    const before = await commandsRun()
    expect(await collect(ledger.entries(AbortSignal.timeout(10_000)))).toEqual([[key, entry]])
    expect((await commandsRun()) - before).toBeLessThan(100)

    const [bucket = ''] = (await redis.connection.keys('*few*:ledger:*')).filter((name) => !name.endsWith(':counts'))
    const more = Object.fromEntries(range(2500).map((number) => [`more/${number}.pdf`, encodeEntry(entry)]))
    await redis.connection.hset(bucket, more)
    const streamed = new Set((await collect(ledger.entries(AbortSignal.timeout(10_000)))).map(([one]) => one))
    expect(streamed).toEqual(new Set([key, ...Object.keys(more)]))
  })

  test('streams the same entries from a Redis with few keys, in few commands, and from one with many', async () => {
    await redis.connection.flushall()
    const ledger = ledgerOf('alone')
    await ledgerOf('alone2').write(range(50).map((number) => entryOf(number)))
    const written = new Map(range(300).map((number) => entryOf(number)))
    await ledger.write([...written])
    const streamed = async () => collect(ledger.entries(AbortSignal.timeout(10_000)))
    const before = await commandsRun()
    const alone = await streamed()
    expect((await commandsRun()) - before).toBeLessThan(10)
    expect(alone.length).toBe(written.size)
    expect(new Map(alone)).toEqual(written)
    await redis.connection.mset(Object.fromEntries(range(5_000).map((number) => [`another/${number}`, ''])))
    const among = await streamed()
    expect(among.length).toBe(written.size)
    expect(new Map(among)).toEqual(written)
  })

  test('has entries and counts that agree after the server was killed during a write', async () => {
    const ledger = ledgerOf('killed')
    const writing = Promise.all(
      range(40).map((batch) =>
        ledger.write(range(500).map((number) => entryOf(batch * 500 + number, batch % 2 === 0 ? 'done' : 'pending'))),
      ),
    )
    await redis.killServer()
    await writing
    expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 10_000, pending: 10_000 })
    let streamed = 0
    for await (const _ of ledger.entries(AbortSignal.timeout(10_000))) streamed += 1
    expect(streamed).toBe(20_000)
  })

  test('costs at most 150 bytes a document in Redis, and reads a thousand in one round trip', async () => {
    const ledger = ledgerOf('bytes')
    const usedBytes = async (): Promise<number> =>
      Number(/used_memory:(\d+)/.exec(await redis.connection.info('memory'))?.[1])
    const before = await usedBytes()
    const writingAt = performance.now()
    for (const batch of range(200)) {
      await ledger.write(range(1000).map((number) => entryOf(batch * 1000 + number, 'pending')))
    }
    const writesPerSecond = 200_000 / ((performance.now() - writingAt) / 1000)
    const bytes = ((await usedBytes()) - before) / 200_000
    const scriptsBefore = await callsOf(redis.connection, 'evalsha')
    const readingAt = performance.now()
    for (const batch of range(50)) await ledger.read(range(1000).map((number) => entryOf(batch * 1000 + number)[0]))
    const readsPerSecond = 50_000 / ((performance.now() - readingAt) / 1000)
    console.log(
      `ledger: ${bytes.toFixed(1)} B a document, ${Math.round(writesPerSecond)} writes/s, ${Math.round(readsPerSecond)} reads/s`,
    )
    expect(bytes).toBeLessThanOrEqual(150)
    expect((await callsOf(redis.connection, 'evalsha')) - scriptsBefore).toBe(50)
  })
})
