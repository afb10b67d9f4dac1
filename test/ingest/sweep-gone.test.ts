import { afterAll, beforeAll, expect, test } from 'vitest'
import { NO_COUNTS } from '#src/document/outcome.ts'
import { sourceKey } from '#src/document/ids.ts'
import { decideChange } from '#src/ingest/decide-change.ts'
import { KeySet } from '#src/ingest/key-set.ts'
import { type GonePolicy, sweepGone } from '#src/ingest/sweep-gone.ts'
import { collect, letterOf } from '../support/documents.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openWorkbench, type Workbench } from '../support/workbench.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const SIGNAL = new AbortController().signal
const KEEP: GonePolicy = { remove: false, believableShare: 0.25, force: false }
const REMOVE: GonePolicy = { ...KEEP, remove: true }

/** Documents `0.csv`, `1.csv`, … of the same content, all parsed. */
async function benchOf(documents: number): Promise<Workbench> {
  const bench = await openWorkbench({ redis })
  for (let number = 0; number < documents; number++) {
    await bench.write(`${number}.csv`, 'the,same')
    await bench.ingest(`${number}.csv`)
  }
  return bench
}

async function sweep({ deps }: Workbench, policy: GonePolicy, listed = new KeySet()) {
  for await (const { key } of deps.source.list(SIGNAL)) listed.add(key)
  return sweepGone(listed, policy, deps, SIGNAL)
}

const key = sourceKey('0.csv')

test('keeps the outputs of a document that is gone, marks it, and takes it for changed when it is back', async () => {
  await using bench = await benchOf(3)
  await bench.erase('0.csv')
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 0, unbelievable: false })
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 0, unbelievable: false })
  expect(await bench.deps.store.readOutput(key, 'document.md')).not.toBeNull()
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 3 })

  await bench.write('0.csv', 'the,same')
  const [listed] = await collect(bench.deps.source.list(SIGNAL))
  const [known] = await bench.deps.ledger.read([key])
  if (listed?.kind !== 'document') throw new Error('it is not listed')
  const { recipeHash } = known ?? { recipeHash: bench.deps.recipeFor(key, 'csv').hash }
  expect(decideChange(known ?? null, { version: listed.version, recipeHash })).toBe('changed')
  await bench.ingest('0.csv')
  expect(bench.service.charged).toBe(1)
})

test('removes outputs when told to, and never those of a copy with the same receipt', async () => {
  await using bench = await benchOf(3)
  await bench.erase('0.csv')
  expect(await sweep(bench, REMOVE)).toEqual({ kept: 0, removed: 1, unbelievable: false })
  const { store, ledger } = bench.deps
  expect(await store.readRecord(key)).toBeNull()
  expect((await store.readRecord(sourceKey('1.csv')))?.outcome).toBe('done')
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
  expect((await collect(store.listReceipts(SIGNAL))).length).toBe(1)
})

test('does not believe in an empty source, nor that more than a share is gone, unless forced', async () => {
  await using bench = await benchOf(13)
  for (let number = 1; number < 13; number++) await bench.erase(`${number}.csv`)
  expect(await sweep(bench, REMOVE)).toEqual({ kept: 0, removed: 0, unbelievable: true })
  await bench.erase('0.csv')
  expect(await sweep(bench, { ...REMOVE, believableShare: 1 })).toMatchObject({ unbelievable: true })
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 13 })
  expect(await sweep(bench, { ...REMOVE, force: true })).toEqual({ kept: 0, removed: 13, unbelievable: false })
  expect(await bench.deps.ledger.counts()).toEqual(NO_COUNTS)
})

test('leaves alone what was not listed and is there all the same, as a filter leaves it out', async () => {
  await using bench = await benchOf(2)
  const listed = new KeySet()
  listed.add('1.csv')
  expect(await sweepGone(listed, REMOVE, bench.deps, SIGNAL)).toEqual({ kept: 0, removed: 0, unbelievable: false })
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
})

test('forgets a failure whose document is gone, and keeps what an earlier version of another came to', async () => {
  await using bench = await benchOf(2)
  const { store, ledger } = bench.deps
  for (const name of ['0.csv', 'never parsed.csv']) {
    const letter = letterOf(name, { recipeHash: bench.deps.recipeFor(key, 'csv').hash })
    await store.bury(letter)
    const { version, recipeHash } = letter
    if (recipeHash !== null) await ledger.write([[sourceKey(name), { version, recipeHash, outcome: 'failed' }]])
  }
  await bench.erase('0.csv')
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 1, unbelievable: false })
  expect(await collect(store.listDeadLetters(SIGNAL))).toEqual([])
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
  expect(await store.readOutput(key, 'document.md')).not.toBeNull()
})
