import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import type { Change } from '#src/events.ts'
import { planSource } from '#src/ingest/scan/plan-source.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { collect, letterOf } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { scanOf, planOf, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* `--detect-changes content`: content instead of version. */

const redis = await shared(startTestRedis())

const SIGNAL = new AbortController().signal
let pipelines = 0

/** What a scan makes of each document, and how many jobs it adds. */
async function scan({ deps }: Workbench, checksum: boolean) {
  pipelines += 1
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: `compare-${process.pid}-${pipelines}` })
  const changes: Record<string, Change> = {}
  const listen = (seen: { readonly key: string; readonly change: Change }): void => {
    changes[seen.key] = seen.change
  }
  deps.events.on('document:seen', listen)
  const { enqueued } = await scanSource(
    scanOf({ ...deps, queue, backlogLimit: 100, checksum, removeGone: false, isOutdated: () => false }),
    SIGNAL,
  )
  deps.events.off('document:seen', listen)
  await queue[Symbol.asyncDispose]()
  return { changes, enqueued }
}

const pathOf = ({ deps }: Workbench, name: string): string => fileURLToPath(new URL(name, deps.source.url))

async function touch(bench: Workbench, name: string): Promise<void> {
  const copy = pathOf(bench, `${name}.copy`)
  await writeFile(copy, await readFile(pathOf(bench, name)))
  await rename(copy, pathOf(bench, name))
}

/** Into the same file, of the same length, with the old date put back: size, date and inode are as they were. */
async function editUnseen(bench: Workbench, name: string, content: string): Promise<void> {
  const path = pathOf(bench, name)
  const { atimeMs, mtimeMs } = await stat(path)
  await writeFile(path, content)
  await utimes(path, atimeMs / 1000, mtimeMs / 1000)
}

/** Parsed once, with dates that survive being put back. */
async function benchOf(files: Readonly<Record<string, string>>): Promise<Workbench> {
  const bench = await openWorkbench({ redis })
  for (const [name, content] of Object.entries(files)) {
    await bench.write(name, content)
    await utimes(pathOf(bench, name), 1_700_000_000, 1_700_000_000)
    await bench.ingest(name)
  }
  return bench
}

test('a touched file with equal bytes counts as unchanged, also by version later, and costs no job', async () => {
  await using bench = await benchOf({ 'a.csv': 'the,same', 'b.csv': 'other' })
  await touch(bench, 'a.csv')
  expect(await scan(bench, true)).toEqual({ changes: { 'a.csv': 'unchanged', 'b.csv': 'unchanged' }, enqueued: 0 })
  expect(await scan(bench, false)).toEqual({ changes: { 'a.csv': 'unchanged', 'b.csv': 'unchanged' }, enqueued: 0 })
  expect(bench.service.requests).toHaveLength(2)
})

test('a file edited with equal size, date and inode counts as changed', async () => {
  await using bench = await benchOf({ 'a.csv': 'one,two', 'b.csv': 'other' })
  await editUnseen(bench, 'a.csv', 'two,one')
  expect(await scan(bench, false)).toMatchObject({ enqueued: 0 })
  const { changes, enqueued } = await scan(bench, true)
  expect({ changes, enqueued }).toEqual({ changes: { 'a.csv': 'changed', 'b.csv': 'unchanged' }, enqueued: 1 })
  await bench.ingest('a.csv')
  expect(bench.service.charged).toBe(3)
  expect(await scan(bench, true)).toMatchObject({ enqueued: 0 })
})

test('plan with --detect-changes content reports the same changes as the run', async () => {
  await using bench = await benchOf({ 'a.csv': 'one,two', 'b.csv': 'other', 'c.csv': 'third' })
  await touch(bench, 'a.csv')
  await editUnseen(bench, 'b.csv', 'OTHER')
  const planned = await collect(planSource(planOf({ ...bench.deps, checksum: true, isOutdated: () => false }), SIGNAL))
  expect(Object.fromEntries(planned.map(({ key, change }) => [key, change]))).toEqual({
    'a.csv': 'unchanged',
    'b.csv': 'changed',
    'c.csv': 'unchanged',
  })
})

test('a failed document is tried again only when its content has changed', async () => {
  await using bench = await benchOf({ 'a.csv': 'one,two' })
  const { store, ledger } = bench.deps
  const record = await store.documents.read(sourceKey('a.csv'))
  if (record === null) throw new Error('nothing was recorded')
  const { key, version, recipeHash, contentHash } = record
  const failure = { code: 'service_rejected', stage: 'parse', message: 'no' } as const
  await store.deadLetters.bury(letterOf('a.csv', { version, recipeHash, contentHash, failure }))
  await ledger.write([[key, { version, recipeHash, outcome: 'failed' }]])
  await touch(bench, 'a.csv')
  expect(await scan(bench, true)).toEqual({ changes: { 'a.csv': 'unchanged' }, enqueued: 0 })
  expect((await ledger.counts()).failed).toBe(1)
  await bench.write('a.csv', 'mended')
  expect(await scan(bench, true)).toEqual({ changes: { 'a.csv': 'changed' }, enqueued: 1 })
})

test('a plan prices only failures that a run sends again', async () => {
  await using bench = await benchOf({ 'a.csv': 'one,two', 'b.csv': 'other', 'c.csv': 'third' })
  const { store, ledger } = bench.deps
  const bury = async (name: string, code: 'service_unavailable' | 'service_rejected'): Promise<void> => {
    const record = await store.documents.read(sourceKey(name))
    if (record === null) throw new Error('nothing was recorded')
    const { key, version, recipeHash, contentHash } = record
    const failure = { code, stage: 'parse', message: 'no' } as const
    await store.deadLetters.bury(letterOf(name, { version, recipeHash, contentHash, failure }))
    await ledger.write([[key, { version, recipeHash, outcome: 'failed' }]])
    for await (const { id, savedAt } of store.receipts.list(SIGNAL, contentHash))
      await store.receipts.remove(id, savedAt)
  }
  await bury('a.csv', 'service_unavailable')
  await bury('b.csv', 'service_rejected')
  const planned = await collect(planSource(planOf({ ...bench.deps, checksum: false, isOutdated: () => false }), SIGNAL))
  expect(Object.fromEntries(planned.map(({ key, requests }) => [key, requests]))).toEqual({
    'a.csv': 1,
    'b.csv': 0,
    'c.csv': 0,
  })
  expect(await scan(bench, false)).toMatchObject({ enqueued: 1 })
})
