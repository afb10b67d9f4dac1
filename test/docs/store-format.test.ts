import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { readdir, readFile } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'
import { compactFeed } from '#src/corpus/feed/compact-feed.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { contentHash, receiptId, recipeHash, sourceKey, storeId } from '#src/document/ids.ts'
import { STORE_FORMAT, type StoreManifest } from '#src/document/store-manifest.ts'
import { documentPath, FOLDER_MAX_BYTES } from '#src/outputs/document-path.ts'
import { openFolderStore } from '#src/outputs/folder/folder-store.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { SWEEP_AFTER_MS } from '#src/outputs/s3/s3-documents.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { letterOf, outputs, recordOf, sha256 } from '../support/documents.ts'
import { startS3Server } from '../support/s3-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { tableIn } from './markdown-table.ts'

/*
 * docs/reference/store-format.md against real stores: each path that a store holds is of exactly one row of the layout table, each row is met, and the
 * examples of names are what the code makes.
 */

const PAGE = await readFile(resolve(import.meta.dirname, '../../docs/reference/store-format.md'), 'utf8')

const SCHEMAS = resolve(import.meta.dirname, '../../docs/schemas')

/** What stands for a part of a path in the table, as an expression. */
const PARTS: Readonly<Record<string, string>> = {
  key: '.+(?:\\.[a-z]+|%doc)',
  output: '[a-z]+\\.(?:md|jsonl|html|json)',
  'commit id': '[0-9a-z]+-[0-9a-f]{10}',
  aa: '[0-9a-f]{2}',
  'content hash': '[0-9a-f]{64}',
  'recipe hash': '[0-9a-f]{16}',
  class: '(?:embedded|service|passthrough)',
  name: '.+',
  'key hash': '[0-9a-f]{32}',
  number: '\\d{10}',
  id: '[0-9a-f]{16}',
  work: '.+',
}

interface Row {
  readonly path: string
  readonly where: string
  readonly matches: RegExp
}

const LAYOUT: readonly Row[] = tableIn(PAGE, 'layout').map(([path = '', where = '']) => {
  const pattern = path
    .replaceAll(/[.]/g, '\\.')
    .replaceAll(/<([^>]+)>/g, (_, part: string) => PARTS[part] ?? `<${part}>`)
  return { path, where, matches: new RegExp(`^${pattern}$`) }
})

const MANIFEST: StoreManifest = {
  format: STORE_FORMAT,
  id: storeId('b1d5'),
  revision: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'test',
  sources: [],
}

const KEYS = ['reports/q3.pdf', 'a.pdf/b.pdf', '100%.pdf', 'Makefile'].map(sourceKey)

const CONTENT = contentHash(sha256('text'))
const RECIPE = recipeHash('0123456789abcdef')

/** A store with a manifest, commits, a replacement, receipts of every class, a dead letter and a feed. */
async function fill(store: OutputStore): Promise<void> {
  await store.manifest.write(MANIFEST)
  await store.manifest.write({ ...MANIFEST, revision: 2 })
  const files = outputs({ 'document.md': 'text', 'blocks.jsonl': '{}\n' })
  for (const key of [...KEYS, ...KEYS.slice(0, 1)]) await store.documents.commit(recordOf(key, files), files)
  for (const parser of ['embedded', 'service', 'passthrough'] as const) {
    const facts = { class: parser, origin: 'engine', version: '2', at: new Date(0).toISOString() }
    await store.receipts.save(receiptId(CONTENT, RECIPE, parser), Buffer.from('{}'), facts)
  }
  await store.deadLetters.bury(letterOf('folder/failed file.docx'))
  await updateFeed(store, new AbortController().signal)
  await compactFeed(store.feed, (await updateFeed(store, new AbortController().signal)).log)
  await store.notes.write('unused-receipts.json', Buffer.from('{}'))
}

async function pathsInFolder(root: string): Promise<readonly string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true })
  const files = found.filter((item) => item.isFile())
  return files.map(({ parentPath, name }) => relative(root, resolve(parentPath, name)).split(sep).join('/'))
}

async function pathsInBucket(client: S3Client, bucket: string): Promise<readonly string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  return Contents.map(({ Key = '' }) => Key.slice('store/'.length))
}

/** Rows of the layout that a path is of. A row of this very path goes before others, and the record's own before that of outputs. */
function rowsOf(path: string, where: string): readonly string[] {
  const rows = LAYOUT.filter((row) => row.where === where || row.where === 'both')
  const found = rows.filter(({ matches }) => matches.test(path)).map((row) => row.path)
  if (found.includes(path)) return [path]
  return found.includes('documents/<key>/record.json') ? ['documents/<key>/record.json'] : found
}

function expectLayout(paths: readonly string[], where: string): void {
  const counted = paths.map((path) => ({ path, rows: rowsOf(path, where).length }))
  expect(counted.filter(({ rows }) => rows !== 1)).toEqual([])
  const met = new Set(paths.flatMap((path) => rowsOf(path, where)))
  const rows = LAYOUT.filter((row) => row.where === where || row.where === 'both').map(({ path }) => path)
  expect(rows.filter((row) => !met.has(row))).toEqual([])
}

test('every file of a folder store matches one row of the layout, and every row has a file', async () => {
  await using folder = await tempFolder()
  await fill(await openFolderStore({ path: folder.path }))
  expectLayout(await pathsInFolder(folder.path), 'folder')
})

const server = await startS3Server()

test.skipIf(server.kind === 'unavailable')(
  `every object of a bucket matches one row of the layout, and every row has an object ${server.kind === 'unavailable' ? server.reason : ''}`,
  async () => {
    if (server.kind === 'unavailable') throw new Error(server.reason)
    await using running = server
    const { client } = running
    await running.newBucket('format')
    await fill(await openS3Store({ client, bucket: 'format', prefix: 'store' }))
    expectLayout(await pathsInBucket(client, 'format'), 'bucket')
    await running.newBucket('packed')
    const packed = await openS3Store({ client, bucket: 'packed', prefix: 'store', packMs: 10 })
    await fill(packed)
    const large = new Map([['document.md', Buffer.alloc(300_000, 'large ')]])
    await packed.documents.commit(recordOf('large.pdf', large), large)
    const paths = await pathsInBucket(client, 'packed')
    expect(paths.filter((path) => rowsOf(path, 'packed bucket').length !== 1)).toEqual([])
    expect(paths.filter((path) => path.startsWith('packs/large/'))).toHaveLength(1)
    expect(paths.filter((path) => /^(documents|receipts|failures)\//.test(path))).toEqual([])
  },
)

test('the example names in the store format are the paths that the code makes', () => {
  const rules = { folds: false, maxBytes: FOLDER_MAX_BYTES }
  const examples = tableIn(PAGE, 'names')
  expect(examples.length).toBeGreaterThan(5)
  expect(examples.map(([key = '']) => [key, documentPath(sourceKey(key), rules)])).toEqual(examples)
})

test('the schemas, constants and format numbers in the store format equal those of the code', async () => {
  expect(PAGE).toContain(`Specification of format ${STORE_FORMAT}`)
  expect(PAGE).toContain(`${FOLDER_MAX_BYTES.toLocaleString('en')} bytes in a folder`)
  expect(PAGE).toContain(`older than ${SWEEP_AFTER_MS / 3_600_000} hours`)
  const linked = [...PAGE.matchAll(/\(\.\.\/schemas\/([^)]+)\)/g)].map(([, name]) => name)
  expect(await readdir(SCHEMAS)).toEqual(expect.arrayContaining(linked))
})
