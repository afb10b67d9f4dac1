import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentHash, sourceKey } from '#src/document/ids.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { withMethods } from '../../support/with-methods.ts'
import { commitSpooled } from '#src/ingest/document/save-answer.ts'
import { FolderSpool, SpooledReceipts } from '#src/outputs/answer-spool.ts'
import { collect } from '../../support/documents.ts'
import { writeLargePdf } from '../../support/large-pdf.ts'
import { answerOf } from '../../support/paged-answer.ts'
import { startTestRedis } from '../../support/redis.ts'
import { shared } from '../../support/shared.ts'
import { errorReply } from '../../support/scripted-service.ts'
import { openRoutedBench, pagesInFile, type RoutedBench } from '../../support/routed-bench.ts'
import type { BenchParts } from '../../support/workbench.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/*
 * Copies of a document that are routed side by side. Answers that the store did not take are found in the spool, and on
 * their way from there.
 */

const never = new AbortController().signal
const redis = await shared(startTestRedis())
const folder = await shared(tempFolder())

/** A document of two pages, both below the floor, under two names, and how often each page was paid for. */
async function openWithCopies(): Promise<RoutedBench & { readonly paid: Map<number, number> }> {
  const paid = new Map<number, number>()
  const routed = await openRoutedBench({
    redis,
    engine: (request) => {
      const found = pagesInFile(request, 2)
      return answerOf(
        found.map((page) => `local ${page}`),
        found.map(() => 0.2),
      )
    },
    paid: (request) => {
      const found = pagesInFile(request, 2)
      for (const page of found) paid.set(page, (paid.get(page) ?? 0) + 1)
      return answerOf(
        found.map((page) => `bought ${page}`),
        null,
      )
    },
  })
  const path = join(folder.path, 'two.pdf')
  await writeLargePdf(path, { pictures: [2000, 2000] })
  for (const name of ['a.pdf', 'b.pdf']) await routed.bench.write(name, await readFile(path))
  return { ...routed, paid }
}

/** A process with this spool whose store takes no answer of the service. */
const refusing = ({ deps }: RoutedBench, spool: FolderSpool): BenchParts => {
  const full = withMethods(deps.store.receipts, {
    save: async (id, body, parser) => {
      if (parser?.class === 'service') throw new StoreUnusable('the disk is full')
      await deps.store.receipts.save(id, body, parser)
    },
  })
  return { ...deps, store: { ...deps.store, receipts: new SpooledReceipts(full, spool) }, spool, storePatienceMs: 0 }
}

const ONCE = [
  [1, 1],
  [2, 1],
]

test('a copy takes the pages that another process spooled', async () => {
  await using routed = await openWithCopies()
  await using spools = await tempFolder()
  const { store } = routed.deps
  const [stopping, other] = [1, 2].map(() => new FolderSpool(spools.path, store.url)) as [FolderSpool, FolderSpool]
  expect((await routed.ingest('a.pdf', 1, refusing(routed, stopping))).kind).toBe('postpone')
  expect([[...routed.paid], (await other.ids()).length]).toEqual([ONCE, 1])

  const goesOn = {
    ...routed.deps,
    store: { ...store, receipts: new SpooledReceipts(store.receipts, other) },
    spool: other,
  }
  for (const name of ['b.pdf', 'a.pdf']) {
    await routed.ingestToEnd(name, goesOn)
    const record = await store.documents.read(sourceKey(name))
    expect(record?.route?.pages.map(({ reason }) => reason)).toEqual(['bought-before', 'bought-before'])
  }
  expect([...routed.paid]).toEqual(ONCE)
  expect(await stopping.ids()).toEqual([])
}, 240_000)

test('an answer is found at every moment of its move from the spool to the store', async () => {
  await using routed = await openWithCopies()
  await using spools = await tempFolder()
  const { store } = routed.deps
  const spool = new FolderSpool(spools.path, store.url)
  await routed.ingest('a.pdf', 1, refusing(routed, spool))
  const [id] = await spool.ids()
  if (id === undefined) throw new Error('nothing was spooled')
  const moving = withMethods(store.receipts, {
    read: async (asked, memory) => {
      const found = await store.receipts.read(asked, memory)
      await commitSpooled(spool, store.receipts, never)
      return found
    },
    list: async function* (signal, content) {
      const found = await collect(store.receipts.list(signal, content))
      await commitSpooled(spool, store.receipts, never)
      yield* found
    },
  })
  const seen = new SpooledReceipts(moving, spool)
  const listed = (): Promise<readonly string[]> =>
    collect(seen.list(never, contentHash(id.slice(0, 64)))).then((all) =>
      all.map((one) => one.id).filter((one) => one.endsWith('-service')),
    )
  const receipt = await spool.read(id)
  if (receipt === null) throw new Error('it is damaged')
  expect(await listed()).toEqual([id])
  await spool.keep(id, receipt)
  // In both of them: it is one answer.
  expect(await listed()).toEqual([id])
  await store.receipts.remove(id)
  await spool.keep(id, receipt)
  expect(await seen.read(id)).not.toBeNull()
  await commitSpooled(spool, store.receipts, never)
  expect(await seen.read(id)).not.toBeNull()
}, 240_000)

test('a copy bought in full meanwhile is not recorded as a reading of the engine', async () => {
  let bought = 0
  await using routed = await openRoutedBench({
    redis,
    engine: () => errorReply(400, 'no', { code: 'DOCUMENT_CORRUPT' }),
    paid: () => {
      bought += 1
      return answerOf(['whole'], null)
    },
  })
  for (const name of ['a.html', 'copy.html']) await routed.bench.write(name, 'hard for the engine')
  const { store } = routed.deps
  let isLate = true
  const receipts = withMethods(store.receipts, {
    read: async (id, memory) => {
      const found = await store.receipts.read(id, memory)
      if (isLate) {
        isLate = false
        await routed.ingestToEnd('a.html')
      }
      return found
    },
  })
  await routed.ingestToEnd('copy.html', { ...routed.deps, store: { ...store, receipts } })
  const record = await store.documents.read(sourceKey('copy.html'))
  expect([record?.parser?.class, record?.route, bought]).toEqual(['service', undefined, 1])
}, 240_000)
