import { cp, mkdir, readdir, truncate, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { SourceKey } from '#src/document/ids.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { verifyStore } from '#src/ingest/maintain/verify-store.ts'
import { collect, letterOf, outputs, receiptOf, recordOf } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const never = new AbortController().signal

/** A store with two documents, a failure and a receipt; `put` writes a file into it, as a user would by hand. */
async function storeInUse() {
  const folder = await tempFolder()
  const root = join(folder.path, 'store')
  const store = await openFolderStore({ path: root })
  const files = outputs({ 'document.md': 'text' })
  for (const key of ['a.pdf', 'folder/b.pdf']) await store.documents.commit(recordOf(key, files), files)
  await store.deadLetters.bury(letterOf('bad.pdf'))
  await store.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
  const put = async (path: string, content = '{"half'): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return { root, store, put, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

const render = () => new Map<string, Uint8Array>()

test('a listing of orphans names each with its kind, and verifyStore removes foreign ones only with removeOrphans', async () => {
  await using opened = await storeInUse()
  const { root, store, put } = opened
  await put('README.md', 'mine')
  await put('documents/notes.txt')
  await put('documents/a.pdf/scan.png')
  await put('documents/folder/half.pdf/record.json')
  await put('documents/folder/none.pdf/document.md')
  await cp(join(root, 'documents/a.pdf'), join(root, 'documents/moved.pdf'), { recursive: true })
  await put('failures/half.json')
  await put('receipts/mine.txt')
  await put('receipts/ab/mine.txt')
  const dayAgo = Date.now() / 1000 - 86_400
  await mkdir(join(root, 'documents/empty'))
  await utimes(join(root, 'documents/empty'), dayAgo, dayAgo)

  const found = await collect(store.maintenance.orphans(never))
  expect(Object.fromEntries(found.map(({ path, kind, reason }) => [path, `${kind}: ${reason}`]))).toEqual({
    'README.md': 'beside: is not part of the store',
    'documents/notes.txt': 'foreign: is a file where only document folders belong',
    'documents/a.pdf/scan.png': 'foreign: is listed in no record',
    'documents/folder/half.pdf': 'foreign: has an incomplete record.json: its document counts as lost',
    'documents/folder/none.pdf': 'foreign: has no record.json: its document counts as lost',
    'documents/moved.pdf': 'foreign: holds the record of "a.pdf", which belongs in another folder',
    'documents/empty': 'foreign: is an empty folder',
    'failures/half.json': 'foreign: is an incomplete dead letter',
    'receipts/mine.txt': 'foreign: is not a receipt',
    'receipts/ab/mine.txt': 'foreign: is not a receipt',
  })

  const repaired = await collect(verifyStore({ store, render }, { repair: true, removeOrphans: false }, never))
  expect(repaired.filter((finding) => finding.kind === 'orphan' && finding.removed)).toEqual([])
  expect(await readdir(root)).toContain('README.md')
  await collect(verifyStore({ store, render }, { repair: false, removeOrphans: true }, never))
  expect((await collect(store.maintenance.orphans(never))).map(({ path }) => path)).toEqual(['README.md'])
  expect((await store.documents.readOutput('a.pdf' as SourceKey, 'document.md'))?.toString()).toBe('text')
  expect(await collect(store.deadLetters.list(never))).toHaveLength(1)
})

test('verifyStore with repair removes the staging folder of a dead process, which a listing of orphans reports as a leftover', async () => {
  await using opened = await storeInUse()
  const { root, store, put } = opened
  const host = hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-')
  const left = `.sluice/staging/${host}~4194303~1~dead~0`
  await put(`${left}/document.md`)
  expect(await collect(store.maintenance.orphans(never))).toMatchObject([{ kind: 'leftover', path: left }])
  await collect(verifyStore({ store, render }, { repair: true, removeOrphans: false }, never))
  expect(await collect(store.maintenance.orphans(never))).toEqual([])
  expect(await readdir(join(root, '.sluice/staging'))).toEqual([])
})

test('verifyStore reports a truncated receipt without a reference, and removes it with repair', async () => {
  await using opened = await storeInUse()
  const { root, store } = opened
  const id = receiptOf('one')
  await truncate(join(root, 'receipts', id.slice(0, 2), `${id}.json.gz`), 12)
  const reported = async (repair: boolean) =>
    (await collect(verifyStore({ store, render }, { repair, removeOrphans: false }, never))).filter(
      ({ kind }) => kind === 'half_receipt',
    )
  expect(await reported(false)).toEqual([{ kind: 'half_receipt', id, removed: false }])
  expect(await reported(true)).toEqual([{ kind: 'half_receipt', id, removed: true }])
  expect(await reported(false)).toEqual([])
})

test('a listing of orphans finds none in a store during concurrent writes', async () => {
  await using opened = await storeInUse()
  const { store } = opened
  const writing = new AbortController()
  const writers = ['a.pdf', 'folder/b.pdf', 'new.pdf'].map(async (key) => {
    for (let at = 0; !writing.signal.aborted; at++) {
      const files = outputs({ 'document.md': `v${at}`, [`only-${at}.md`]: 'x' })
      await store.documents.commit(recordOf(key, files), files)
      await store.deadLetters.bury(letterOf(key))
    }
  })
  const orphans = []
  for (let times = 0; times < 30; times++) orphans.push(...(await collect(store.maintenance.orphans(never))))
  writing.abort()
  await Promise.all(writers)
  expect(orphans).toEqual([])
})
