import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { lostRecords } from '#src/ingest/maintain/lost-records.ts'
import { verifyStore } from '#src/ingest/maintain/verify-store.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { renderOutputs } from '#src/outputs/render.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { shared } from '../support/shared.ts'

/*
 * A store that goes away, or whose disk is unmounted, while it is read must not read as empty: its receipts would count as
 * unused, its documents as lost.
 */

const never = new AbortController().signal
const FILES = outputs({ 'document.md': 'text' })
/** More than are read ahead of the one that is handed out. */
const MANY = 40
const FEW = 2

interface AwayStore extends AsyncDisposable {
  readonly store: OutputStore
  readonly path: string
  readonly away: (how: Way) => Promise<void>
}

/** `cut off`: each read fails with an error, as on a network disk whose server is gone; here with ELOOP. */
type Way = 'moved' | 'unmounted' | 'cut off'

const templates = await shared(tempFolder())
beforeAll(async () => {
  for (const documents of [FEW, MANY]) await fill(join(templates.path, String(documents)), documents)
})

async function fill(path: string, documents: number): Promise<void> {
  const store = await openFolderStore({ path })
  const keys = Array.from({ length: documents }, (_, number) => sourceKey(`${number % 7}/${number}.pdf`))
  await Promise.all(keys.map((key) => store.documents.commit(recordOf(key, FILES), FILES)))
  await Promise.all(keys.map((key) => store.deadLetters.bury(letterOf(`failed/${key}`))))
  await Promise.all(keys.map((key) => store.receipts.save(receiptOf(key), Buffer.from(key), null)))
  await writeFile(join(path, 'beside.txt'), 'a file of the user')
}

async function filledStore(documents: number): Promise<AwayStore> {
  const folder = await tempFolder()
  const path = join(folder.path, 'store')
  await cp(join(templates.path, String(documents)), path, { recursive: true })
  const store = await openFolderStore({ path })
  const away = async (how: Way): Promise<void> => {
    await rename(path, join(folder.path, 'aside'))
    if (how === 'unmounted') await mkdir(path)
    if (how === 'cut off') await symlink(path, path)
  }
  return { store, path, away, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

const KEY = sourceKey('0/0.pdf')
const pending = { done: 0, partial: 0 } as never
const ledger = {
  counts: async () => pending,
  entries: async function* () {
    yield [KEY, { version: 'v', recipeHash: 'r', outcome: 'done' }]
  },
} as never

const LISTINGS: readonly (readonly [string, (store: OutputStore) => AsyncIterable<unknown>])[] = [
  ['listRecords', (store) => store.documents.list(never)],
  ['listDeadLetters', (store) => store.deadLetters.list(never)],
  ['listReceipts', (store) => store.receipts.list(never)],
  ['listOrphans', (store) => store.maintenance.orphans(never)],
  ['verify', (store) => verifyStore({ store, render: renderOutputs }, { repair: false, removeOrphans: false }, never)],
]

const AT_ONCE: readonly (readonly [string, (store: OutputStore) => Promise<unknown>])[] = [
  ['readRecord', (store) => store.documents.read(KEY)],
  ['readOutput', (store) => store.documents.readOutput(KEY, 'document.md')],
  ['readDeadLetter', (store) => store.deadLetters.read(KEY)],
  ['haveRecords', (store) => store.documents.have([KEY])],
  ['gc', (store) => exhaust(unusedReceipts(store, never))],
  ['status', (store) => exhaust(lostRecords({ store, ledger }, never))],
  ...LISTINGS.map(([name, list]) => [name, (store: OutputStore) => exhaust(list(store))] as const),
]

async function exhaust(all: AsyncIterable<unknown>): Promise<void> {
  for await (const one of all) void one
}

describe.concurrent.each<Way>(['moved', 'unmounted', 'cut off'])('while a folder store is %s', (how) => {
  test.each(AT_ONCE)('%s fails with one sentence', async (_, read) => {
    await using at = await filledStore(FEW)
    await at.away(how)
    const error = await read(at.store).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnusable)
    expect(String(error)).toMatch(/the output folder .* (?:was removed|was replaced|cannot be reached)/)
  })

  test.each(LISTINGS)('%s fails too when it has already started', async (_, list) => {
    await using at = await filledStore(MANY)
    const listed = list(at.store)[Symbol.asyncIterator]()
    if ((await listed.next()).done === true) throw new Error('nothing was listed')
    await at.away(how)
    await expect(exhaust({ [Symbol.asyncIterator]: () => listed })).rejects.toThrow(StoreUnusable)
  })
})

test('a document removed while a folder store lists records is not an error', async () => {
  await using at = await filledStore(MANY)
  const listed = at.store.documents.list(never)[Symbol.asyncIterator]()
  await listed.next()
  for (const name of ['1', '3']) await rm(join(at.path, 'documents', name), { recursive: true })
  await exhaust({ [Symbol.asyncIterator]: () => listed })
})

test('listReceipts fails with one sentence when the store is cut off between two receipts of the same bytes', async () => {
  await using at = await filledStore(FEW)
  const content = contentHash('a'.repeat(64))
  for (const recipe of ['0', '1', '2']) {
    await at.store.receipts.save(receiptId(content, recipeHash(recipe.repeat(16))), Buffer.from(recipe), null)
  }
  const listed = at.store.receipts.list(never, content)[Symbol.asyncIterator]()
  expect((await listed.next()).done).toBe(false)
  await at.away('cut off')
  await expect(exhaust({ [Symbol.asyncIterator]: () => listed })).rejects.toThrow(StoreUnusable)
})
