import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { unusedReceipts } from '#src/ingest/maintain/collect-receipts.ts'
import { documentPath, FOLDER_MAX_BYTES, keyHash } from '#src/outputs/document-path.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, outputs, receiptOf, recordOf } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const never = new AbortController().signal
const KEYS = ['a.pdf', 'x/b.pdf', 'x/c.pdf'].map(sourceKey)
const FILES = outputs({ 'document.md': 'text' })
const LONG_AGO = Date.now() / 1000 - 30 * 24 * 3600

const recordAt = (key: string, attempts = 1) => recordOf(key, FILES, { attempts, receipt: receiptOf(key) })

/** Documents whose receipts were saved long ago. */
async function oldStore(path: string): Promise<OutputStore> {
  const store = await openFolderStore({ path })
  for (const key of KEYS) {
    await store.receipts.save(receiptOf(key), Buffer.from(key), null)
    await store.documents.commit(recordAt(key), FILES)
  }
  for (const file of await receiptFiles(path)) await utimes(file, LONG_AGO, LONG_AGO)
  return store
}

async function receiptFiles(path: string): Promise<readonly string[]> {
  const dirents = await readdir(join(path, 'receipts'), { recursive: true, withFileTypes: true })
  return dirents.filter((dirent) => dirent.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** As a process leaves it between the two renames of a commit, for as long as it is paused. */
async function stepAside(path: string, key: (typeof KEYS)[number]): Promise<{ readonly end: () => Promise<void> }> {
  const folder = join(path, 'documents', documentPath(key, { folds: false, maxBytes: FOLDER_MAX_BYTES }))
  const aside = join(path, '.sluice/aside', `${keyHash(key)}.old.${hostname()}~${process.pid}~now~cafe~0`)
  await mkdir(join(path, '.sluice/aside'), { recursive: true })
  await rename(folder, aside)
  return { end: () => rename(aside, folder) }
}

test('a document under replacement is listed in its old version, and keeps its receipt', async () => {
  await using folder = await tempFolder()
  const store = await oldStore(folder.path)
  for (const key of KEYS) {
    const { end } = await stepAside(folder.path, key)
    expect((await collect(store.documents.list(never))).map((record) => record.key).toSorted()).toEqual(KEYS)
    expect(await collect(unusedReceipts(store, never))).toEqual([])
    await end()
  }
})

test('a document replaced after the listing of its folder is listed once', async () => {
  await using folder = await tempFolder()
  const store = await oldStore(folder.path)
  for (const key of KEYS) {
    const seen: string[] = []
    const { end } = await stepAside(folder.path, key)
    for await (const record of store.documents.list(never)) {
      if (seen.length === 0) await end()
      seen.push(record.key)
    }
    expect(seen.toSorted()).toEqual(KEYS)
  }
})

test('a document replaced by a record of the same receipt counts as a use of the receipt', async () => {
  await using folder = await tempFolder()
  const store = await oldStore(folder.path)
  const before = Date.now()
  const [replaced = sourceKey(''), ...others] = KEYS
  await store.documents.commit(recordAt(replaced, 2), FILES)
  const savedAt = new Map((await collect(store.receipts.list(never))).map((kept) => [kept.id, kept.savedAt]))
  expect(savedAt.get(receiptOf(replaced))).toBeGreaterThan(before - 1_000)
  for (const key of others) expect(savedAt.get(receiptOf(key))).toBeLessThan(LONG_AGO * 1000 + 1_000)
  const files = await receiptFiles(folder.path)
  expect(files.length).toBe(KEYS.length)
  expect((await Promise.all(files.map((file) => stat(file)))).every(({ size }) => size > 0)).toBe(true)
})
