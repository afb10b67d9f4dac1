import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { textRecipeBook } from '#src/client/passthrough.ts'
import { recipeBook } from '#src/client/rules.ts'
import { recipeHash, sourceKey } from '#src/document/ids.ts'
import { NO_COUNTS, seen } from '#src/document/outcome.ts'
import type { Change } from '#src/events.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { planSource } from '#src/ingest/scan/plan-source.ts'
import { completeLedger } from '#src/ingest/maintain/rebuild-ledger.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { sweepGone } from '#src/ingest/scan/sweep-gone.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { openFolderSource } from '#src/sources/folder/folder-source.ts'
import { collect } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply } from '../../support/scripted-service.ts'
import { planOf, scanOf, depsOf, openWorkbench, type Workbench, type BenchParts } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* What was a document before, and is left out now: by a setting, by a rule, or because something else took its name. */

const redis = await shared(startTestRedis())

const SIGNAL = new AbortController().signal
const OFF: Partial<BenchParts> = { textRecipeFor: () => null }
let pipelines = 0

/** Scans and sweeps as a run does; the plan that was made before has to say the same of every key. */
async function scan(
  bench: Workbench,
  changed: Partial<BenchParts>,
  removeGone = false,
): Promise<Record<string, Change>> {
  const deps = { ...bench.deps, ...changed, checksum: false, isOutdated: () => false }
  const planned = await collect(planSource(planOf(deps), SIGNAL))
  const changes: Record<string, Change> = {}
  const listen = ({ key, change }: { readonly key: string; readonly change: Change }): void =>
    void (changes[key] = change)
  deps.events.on('document:seen', listen)
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: `skip-file-${process.pid}-${pipelines++}` })
  try {
    const listing = await scanSource(scanOf({ ...deps, queue, backlogLimit: 100, removeGone }), SIGNAL)
    const policy = { remove: removeGone, maxGoneShare: 1, force: false, leavePending: false }
    await sweepGone(listing, policy, depsOf(deps), SIGNAL)
  } finally {
    deps.events.off('document:seen', listen)
    await queue.clear()
    await queue[Symbol.asyncDispose]()
  }
  // What a left-out folder holds is not listed; the plan knows of it by the ledger, which counts it.
  const listed = planned.filter((item) => changes[item.key] !== undefined)
  expect(Object.fromEntries(listed.map(({ key, change }) => [key, change]))).toEqual(changes)
  const present = planned.filter(({ change }) => change !== 'gone')
  expect(present.length).toBe(seen(await deps.ledger.counts()))
  return changes
}

const key = sourceKey('a.md')

async function benchWith(...texts: readonly string[]): Promise<Workbench> {
  const bench = await openWorkbench({ redis })
  for (const name of texts) {
    await bench.write(name, name)
    await bench.ingest(name)
  }
  return bench
}

test('a changed text that is no longer passed through is skipped, with outputs marked as gone or removed', async () => {
  await using bench = await benchWith('a.md', 'b.md')
  const { store, ledger } = bench.deps
  await bench.write('a.md', 'changed')
  expect(await scan(bench, OFF)).toEqual({ 'a.md': 'skipped', 'b.md': 'unchanged' })
  expect(await ledger.counts()).toMatchObject({ done: 1, skipped: 1, gone: 0 })
  expect((await store.documents.read(key))?.goneAt).toMatch(/^\d{4}-/)

  // From the store alone the same: first as gone, and skipped as soon as it is listed.
  await ledger.forget([key])
  await completeLedger(bench.deps, new Date(), SIGNAL)
  expect(await scan(bench, OFF)).toMatchObject({ 'a.md': 'skipped' })
  expect(await ledger.counts()).toMatchObject({ done: 1, skipped: 1, gone: 0 })

  await scan(bench, OFF, true)
  expect(await store.documents.read(key)).toBeNull()
  expect(await ledger.counts()).toMatchObject({ done: 1, skipped: 1, gone: 0 })
  expect(await scan(bench, {})).toMatchObject({ 'a.md': 'changed' })
})

test('an unchanged text is skipped under redactPII, as its outputs are not redacted', async () => {
  await using bench = await benchWith('a.md')
  const recipeFor = recipeBook({ options: { redactPII: true } })
  expect(await scan(bench, { recipeFor, textRecipeFor: textRecipeBook(recipeFor, true) })).toEqual({
    'a.md': 'skipped',
  })
  expect((await bench.deps.store.documents.read(key))?.goneAt).toMatch(/^\d{4}-/)
})

test('a text that failed after a change and is no longer passed through leaves no dead letter', async () => {
  await using bench = await benchWith('a.md')
  const { store, ledger } = bench.deps
  await bench.write('a.md', Buffer.from([0, 1, 2, 0]))
  await bench.ingest('a.md')
  expect(await ledger.counts()).toMatchObject({ failed: 1 })
  await scan(bench, OFF)
  expect(await ledger.counts()).toMatchObject({ failed: 0, skipped: 1 })
  expect(await store.deadLetters.read(key)).toBeNull()
})

test('an excluded document that failed after a change counts as done in its last successful version', async () => {
  await using bench = await benchWith('a.md')
  const { store, ledger } = bench.deps
  await bench.write('a.md', Buffer.from([0, 1, 2, 0]))
  await bench.ingest('a.md')
  const source = openFolderSource({ path: fileURLToPath(bench.deps.source.url), exclude: ['*.md'] })
  expect(await scan(bench, { source })).toEqual({ 'a.md': 'unchanged' })
  expect(await ledger.counts()).toMatchObject({ done: 1, failed: 0 })
  expect([await store.deadLetters.read(key), (await store.documents.read(key))?.goneAt]).toEqual([null, undefined])
})

test('a document replaced by a symbolic link is skipped, and gone once the link is removed', async () => {
  await using bench = await benchWith('a.md', 'b.md')
  const { store, ledger } = bench.deps
  await bench.erase('a.md')
  await symlink('b.md', `${fileURLToPath(bench.deps.source.url)}a.md`)
  expect(await scan(bench, {})).toEqual({ 'a.md': 'skipped', 'b.md': 'unchanged' })
  await bench.erase('a.md')
  expect(await scan(bench, {})).toEqual({ 'a.md': 'gone', 'b.md': 'unchanged' })
  expect(await ledger.counts()).toMatchObject({ done: 1, skipped: 0, gone: 1 })
  await scan(bench, {}, true)
  expect([await store.documents.read(key), (await ledger.counts()).gone]).toEqual([null, 0])
})

test('plan reports gone documents, also when as many files are new', async () => {
  await using bench = await benchWith('a.md', 'b.md')
  await bench.erase('a.md')
  await bench.write('c.md', 'new')
  expect(await scan(bench, {})).toEqual({ 'a.md': 'gone', 'b.md': 'unchanged', 'c.md': 'new' })
})

test('a queued document that a name rule now excludes is skipped by the listing process, and not bought', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'one')
  const { ledger, view } = bench.deps
  const source = openFolderSource({ path: fileURLToPath(bench.deps.source.url), exclude: ['*.csv'] })
  const csv = sourceKey('a.csv')
  const [file] = await collect(bench.deps.source.list(SIGNAL))
  if (file?.kind !== 'document') throw new Error('it is not listed')
  const entry = {
    version: file.version,
    recipeHash: bench.deps.recipeFor(csv, 'csv').hash,
    outcome: 'pending',
  } as const
  await ledger.write([[csv, entry]])
  const job = { schema: 1, key: csv, ...entry, bytes: 3, queuedAt: Date.now() } as const
  view.role = { kind: 'lists', listed: null }
  await ingestDocument({ job, attempt: 1 }, depsOf({ ...bench.deps, source }), SIGNAL)
  expect([bench.service.requests.length, await ledger.counts()]).toEqual([0, { ...NO_COUNTS, skipped: 1 }])

  // Taken from a queue that another process feeds, its rules count.
  await ledger.write([[csv, entry]])
  view.role = { kind: 'takes' }
  await ingestDocument({ job, attempt: 1 }, depsOf({ ...bench.deps, source }), SIGNAL)
  expect(bench.service.requests.length).toBe(1)
})

test('a queued document replaced by a symbolic link waits for the listing, and is skipped instead of failed', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'one')
  const csv = sourceKey('a.csv')
  const [file] = await collect(bench.deps.source.list(SIGNAL))
  if (file?.kind !== 'document') throw new Error('it is not listed')
  const recipe = bench.deps.recipeFor(csv, 'csv').hash
  const entry = { version: file.version, recipeHash: recipe, outcome: 'pending' } as const
  await bench.deps.ledger.write([[csv, entry]])
  await bench.erase('a.csv')
  await symlink('nowhere', `${fileURLToPath(bench.deps.source.url)}a.csv`)
  const job = { schema: 1, key: csv, ...entry, bytes: 3, queuedAt: Date.now() } as const
  bench.deps.view.role = { kind: 'lists', listed: null }
  expect(await ingestDocument({ job, attempt: 1 }, depsOf(bench.deps), SIGNAL)).toMatchObject({
    kind: 'postpone',
    counted: false,
  })
  expect(await scan(bench, {})).toEqual({ 'a.csv': 'skipped' })
  expect(await ingestDocument({ job, attempt: 1 }, depsOf(bench.deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, skipped: 1 })
})

test('a job with an earlier recipe fails under the present recipe, so that no scan treats it as changed', async () => {
  await using bench = await openWorkbench({ redis, answers: [errorReply(422, 'rejected')] })
  await bench.write('a.csv', 'one')
  const [file] = await collect(bench.deps.source.list(SIGNAL))
  if (file?.kind !== 'document') throw new Error('it is not listed')
  const csv = sourceKey('a.csv')
  const recipe = recipeHash('00000000000000aa')
  await bench.deps.ledger.write([[csv, { version: file.version, recipeHash: recipe, outcome: 'pending' }]])
  const job = {
    schema: 1,
    key: csv,
    version: file.version,
    recipeHash: recipe,
    bytes: 3,
    queuedAt: Date.now(),
  } as const
  await ingestDocument({ job, attempt: 1 }, depsOf(bench.deps), SIGNAL)
  expect(await bench.deps.ledger.counts()).toMatchObject({ failed: 1, pending: 0 })
  expect(await scan(bench, {})).toEqual({ 'a.csv': 'unchanged' })
})

test('a skipped file with kept outputs stays counted when its folder is excluded later', async () => {
  await using bench = await openWorkbench({ redis })
  const inbox = fileURLToPath(bench.deps.source.url)
  await mkdir(`${inbox}sub`)
  await bench.write('sub/a.md', 'text')
  await bench.ingest('sub/a.md')
  await bench.erase('sub/a.md')
  await symlink('nowhere', `${inbox}sub/a.md`)
  expect(await scan(bench, {})).toEqual({ 'sub/a.md': 'skipped' })
  await scan(bench, { source: openFolderSource({ path: inbox, exclude: ['sub'] }) })
  expect(await bench.deps.ledger.counts()).toMatchObject({ skipped: 1, gone: 0 })
})

test('documents below a newly excluded folder stay done, and skipped files there are no longer counted', async () => {
  await using bench = await benchWith('a.md')
  const inbox = fileURLToPath(bench.deps.source.url)
  const { ledger } = bench.deps
  const [entry] = await ledger.read([key])
  if (!entry) throw new Error('it is not in the ledger')
  await mkdir(`${inbox}sub`)
  await writeFile(`${inbox}sub/b.bin`, 'no document')
  await bench.write('sub/c.md', 'text')
  await bench.ingest('sub/c.md')
  await scan(bench, {})
  expect(await ledger.counts()).toMatchObject({ done: 2, skipped: 1 })
  const source = openFolderSource({ path: inbox, exclude: ['sub'] })
  expect(await scan(bench, { source })).toEqual({ 'a.md': 'unchanged' })
  expect(await ledger.counts()).toMatchObject({ done: 2, skipped: 0 })
})
