import { mkdir, rm, symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { NO_COUNTS } from '#src/document/outcome.ts'
import { sourceKey } from '#src/document/ids.ts'
import { decideChange } from '#src/ingest/scan/decide-change.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { rebuildLedger } from '#src/ingest/maintain/rebuild-ledger.ts'
import { type GonePolicy, sweepGone } from '#src/ingest/scan/sweep-gone.ts'
import { isListedDocument } from '#src/ingest/scan/unlisted.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { collect, letterOf } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { depsOf, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

const redis = await shared(startTestRedis())

const SIGNAL = new AbortController().signal
const KEEP: GonePolicy = { remove: false, maxGoneShare: 0.25, force: false, leavePending: false }
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
  let documents = listed.size
  for await (const item of deps.source.list(SIGNAL)) {
    listed.add(item.key)
    if (isListedDocument(item, depsOf(deps).policy)) documents += 1
  }
  return sweepGone({ listed, documents, leftOut: new KeySet() }, policy, depsOf(deps), SIGNAL)
}

const key = sourceKey('0.csv')

test('the sweep keeps and marks the outputs of a gone document, which counts as changed on its return', async () => {
  await using bench = await benchOf(3)
  await bench.erase('0.csv')
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 0, forgotten: 0, unbelievable: null })
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 0, forgotten: 0, unbelievable: null })
  const { store, ledger } = bench.deps
  expect(await store.documents.readOutput(key, 'document.md')).not.toBeNull()
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 2, gone: 1 })
  expect((await store.documents.read(key))?.goneAt).toMatch(/^\d{4}-/)
  expect((await store.documents.read(sourceKey('1.csv')))?.goneAt).toBeUndefined()
  expect((await ledger.counts()).gone).toBe(1)
  await rebuildLedger(bench.deps, new Date(), SIGNAL)
  expect((await ledger.counts()).gone).toBe(1)

  await bench.write('0.csv', 'the,same')
  const [listed] = await collect(bench.deps.source.list(SIGNAL))
  const [known] = await bench.deps.ledger.read([key])
  if (listed?.kind !== 'document') throw new Error('it is not listed')
  const { recipeHash } = known ?? { recipeHash: bench.deps.recipeFor(key, 'csv').hash }
  expect(decideChange(known ?? null, { version: listed.version, recipeHash })).toBe('changed')
  await bench.ingest('0.csv')
  expect(bench.service.charged).toBe(1)
  expect((await store.documents.read(key))?.goneAt).toBeUndefined()
  expect((await ledger.counts()).gone).toBe(0)
})

test('the sweep removes outputs on request, but never those of a copy with the same receipt', async () => {
  await using bench = await benchOf(3)
  await bench.erase('0.csv')
  expect(await sweep(bench, REMOVE)).toEqual({ kept: 0, removed: 1, forgotten: 0, unbelievable: null })
  const { store, ledger } = bench.deps
  expect(await store.documents.read(key)).toBeNull()
  expect((await store.documents.read(sourceKey('1.csv')))?.outcome).toBe('done')
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
  expect((await collect(store.receipts.list(SIGNAL))).length).toBe(1)
})

test('the sweep refuses an empty source and a loss above the safety limit, unless forced', async () => {
  await using bench = await benchOf(13)
  for (let number = 1; number < 13; number++) await bench.erase(`${number}.csv`)
  expect(await sweep(bench, REMOVE)).toEqual({
    kept: 0,
    removed: 0,
    forgotten: 0,
    unbelievable: { kind: 'too_many', limit: 10, known: 13 },
  })
  await bench.erase('0.csv')
  expect(await sweep(bench, { ...REMOVE, maxGoneShare: 1 })).toMatchObject({
    unbelievable: { kind: 'no_document', files: 0, documents: 13 },
  })
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 13 })
  expect(await sweep(bench, { ...REMOVE, force: true })).toEqual({
    kept: 0,
    removed: 13,
    forgotten: 0,
    unbelievable: null,
  })
  expect(await bench.deps.ledger.counts()).toEqual(NO_COUNTS)
})

test.each(['.DS_Store', '.keep', 'x.xyz'])(
  'the sweep refuses a source that lists only %s, unless forced',
  async (name) => {
    await using bench = await benchOf(2)
    for (const gone of ['0.csv', '1.csv']) await bench.erase(gone)
    await bench.write(name, 'not a document')
    expect(await sweep(bench, { ...REMOVE, maxGoneShare: 1 })).toMatchObject({
      removed: 0,
      unbelievable: { kind: 'no_document', files: 1, documents: 2 },
    })
    expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
    expect(await sweep(bench, { ...REMOVE, force: true })).toMatchObject({ removed: 2, unbelievable: null })
  },
)

test('the sweep keeps existing documents that a filter excludes from the listing', async () => {
  await using bench = await benchOf(2)
  const listed = new KeySet()
  listed.add('1.csv')
  expect(await sweepGone({ listed, documents: 1, leftOut: new KeySet() }, REMOVE, depsOf(bench.deps), SIGNAL)).toEqual({
    kept: 0,
    removed: 0,
    forgotten: 0,
    unbelievable: null,
  })
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 2 })
})

test('the sweep settles a pending document without a job below an excluded folder', async () => {
  await using bench = await benchOf(2)
  const { ledger, source } = bench.deps
  await mkdir(`${fileURLToPath(source.url)}sub`)
  for (const name of ['sub/new.csv', 'sub/old.csv']) await bench.write(name, 'the,same')
  await bench.ingest('sub/old.csv')
  for await (const item of source.list(SIGNAL)) {
    if (item.kind !== 'document' || !item.key.startsWith('sub/')) continue
    const { hash: recipeHash } = bench.deps.recipeFor(item.key, 'csv')
    await ledger.write([[item.key, { outcome: 'pending', version: item.version, recipeHash }]])
  }
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 2, pending: 2 })
  const [listed, leftOut] = [new KeySet(), new KeySet()]
  for (const name of ['0.csv', '1.csv']) listed.add(name)
  leftOut.add('sub/')
  await sweepGone({ listed, documents: 2, leftOut }, KEEP, depsOf(bench.deps), SIGNAL)
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 3, skipped: 1 })
  await sweepGone({ listed, documents: 2, leftOut }, KEEP, depsOf(bench.deps), SIGNAL)
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 3 })
})

test('the sweep drops the failure of a gone document, and keeps the outcome of an earlier version', async () => {
  await using bench = await benchOf(2)
  const { store, ledger } = bench.deps
  for (const name of ['0.csv', 'never parsed.csv']) {
    const letter = letterOf(name, { recipeHash: bench.deps.recipeFor(key, 'csv').hash })
    await store.deadLetters.bury(letter)
    const { version, recipeHash } = letter
    if (recipeHash !== null) await ledger.write([[sourceKey(name), { version, recipeHash, outcome: 'failed' }]])
  }
  await bench.erase('0.csv')
  expect(await sweep(bench, KEEP)).toEqual({ kept: 1, removed: 0, forgotten: 1, unbelievable: null })
  expect(await collect(store.deadLetters.list(SIGNAL))).toEqual([])
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 1, gone: 1 })
  expect(await store.documents.readOutput(key, 'document.md')).not.toBeNull()
})

test('the sweep accepts a few more missing documents each time, however many it accepted before', async () => {
  await using bench = await benchOf(25)
  const { ledger } = bench.deps
  for (const [from, until] of [
    [0, 10],
    [10, 20],
  ] as const) {
    for (let number = from; number < until; number++) await bench.erase(`${number}.csv`)
    expect(await sweep(bench, KEEP)).toEqual({ kept: until, removed: 0, forgotten: 0, unbelievable: null })
  }
  expect((await ledger.counts()).gone).toBe(20)
  expect(await sweep(bench, REMOVE)).toEqual({ kept: 0, removed: 20, forgotten: 0, unbelievable: null })
  expect(await ledger.counts()).toEqual({ ...NO_COUNTS, done: 5 })
})

test('the sweep marks nothing as gone below a folder that could not be listed', async () => {
  await using bench = await openWorkbench({ redis })
  const inbox = fileURLToPath(bench.deps.source.url)
  await mkdir(`${inbox}letters/1790`, { recursive: true })
  for (const name of ['0.csv', 'letters/1790/1.csv', 'letters.csv']) {
    await bench.write(name, 'the,same')
    await bench.ingest(name)
  }
  await rm(`${inbox}letters`, { recursive: true })
  await symlink('.', `${inbox}letters`)
  await bench.erase('letters.csv')
  const source = openFolderSource({ path: inbox, followSymlinks: true })
  const looped = { ...bench, deps: { ...bench.deps, source } }
  const inside = await source.open(sourceKey('letters/1790/1.csv'), SIGNAL)
  expect(inside).toMatchObject({ code: 'vanished' })
  expect(await sweep(looped, REMOVE)).toEqual({ kept: 0, removed: 1, forgotten: 0, unbelievable: null })
  expect(await bench.deps.store.documents.read(sourceKey('letters/1790/1.csv'))).not.toBeNull()
})

test('the sweep leaves pending documents to their jobs', async () => {
  await using bench = await benchOf(2)
  const { ledger } = bench.deps
  const [entry] = await ledger.read([key])
  if (!entry) throw new Error('it is not in the ledger')
  await ledger.write([[key, { ...entry, outcome: 'pending' }]])
  await bench.erase('0.csv')
  const nothing = { kept: 0, removed: 0, forgotten: 0, unbelievable: null }
  expect(await sweep(bench, { ...REMOVE, leavePending: true })).toEqual(nothing)
  expect(await sweep(bench, REMOVE)).toEqual({ ...nothing, removed: 1 })
})
