import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordsSince } from '#src/cli/commands/verify.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { sourceKey } from '#src/document/ids.ts'
import { type Finding, verifyDocuments } from '#src/ingest/maintain/verify-store.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { collect, outputs, recordOf } from '../support/documents.ts'
import { tempFolder } from '../support/temp-folder.ts'

const never = new AbortController().signal
const render = (): ReadonlyMap<string, Uint8Array> => new Map()

async function commit(store: OutputStore, key: string, text: string, finishedAt: string): Promise<void> {
  const files = outputs({ 'document.md': text })
  await store.documents.commit(recordOf(key, files, { finishedAt, receipt: null }), files)
}

async function checked(
  store: OutputStore,
  since: string,
): Promise<{ found: readonly Finding[]; cursor: string | null }> {
  const { records, cursor } = await recordsSince(store, since, never)
  return { found: await collect(verifyDocuments(records, { store, render }, { repair: false })), cursor }
}

test('verify --since checks documents changed since a cursor or time, and names the next cursor', async () => {
  await using folder = await tempFolder()
  const root = join(folder.path, 'store')
  const store = await openFolderStore({ path: root })
  for (const key of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf']) await commit(store, key, 'old', '2026-11-01T10:00:00.000Z')
  const before = cursorText((await updateFeed(store, never)).cursor)
  expect(await checked(store, before)).toEqual({ found: [], cursor: before })

  await commit(store, 'b.pdf', 'new', '2026-11-02T10:00:00.000Z')
  await commit(store, 'c.pdf', 'new', '2026-11-03T10:00:00.000Z')
  await store.documents.remove(sourceKey('d.pdf'))
  for (const key of ['a.pdf', 'c.pdf']) await writeFile(join(root, 'documents', key, 'document.md'), 'altered')
  const damaged = (key: string) => expect.objectContaining({ kind: 'damaged', key })
  const since = await checked(store, before)
  expect(since.found).toHaveLength(2)
  expect(since.found).toEqual(expect.arrayContaining([{ kind: 'whole' }, damaged('c.pdf')]))
  expect((await checked(store, since.cursor ?? '')).found).toEqual([])

  expect((await checked(store, '2026-11-03')).found).toEqual([damaged('c.pdf')])
  expect((await checked(store, '2026-11-02T10:30:00+01:00')).found).toHaveLength(2)
  expect((await checked(store, '2026-11-01')).found.filter(({ kind }) => kind === 'damaged')).toHaveLength(2)
  await expect(recordsSince(store, 'yesterday', never)).rejects.toThrow('a date (2026-11-22)')
  await expect(recordsSince(store, '2026-13-45', never)).rejects.toThrow('--since takes a cursor')
})

test('verify reports findings in record order, though it checks documents concurrently and large ones one by one', async () => {
  await using folder = await tempFolder()
  const store = await openFolderStore({ path: join(folder.path, 'store') })
  const keys = Array.from({ length: 40 }, (_, number) => `${number}.pdf`)
  for (const [number, key] of keys.entries()) {
    await commit(store, key, 'x'.repeat(number % 10 === 0 ? 2_100_000 : 10), '2026-11-01T10:00:00.000Z')
    await writeFile(join(folder.path, 'store/documents', key, 'document.md'), 'altered')
  }
  async function* records() {
    for (const key of keys) yield (await store.documents.read(sourceKey(key))) ?? expect.unreachable()
  }
  const found = await collect(verifyDocuments(records(), { store, render }, { repair: false }))
  expect(found.map((finding) => (finding.kind === 'damaged' ? finding.key : finding.kind))).toEqual(keys)
})
