import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { openS3Client } from '#src/s3/client.ts'
import { openS3Source } from '#src/sources/s3/s3-source.ts'
import { collect, letterOf, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { isTaken } from '../support/listed-item.ts'
import { startS3Server } from '../support/s3-server.ts'
import { testBusyStore } from './busy-store.ts'
import { testFeedStorage } from './feed-storage.ts'
import { testOutputStore } from './output-store.ts'
import { testSource } from './source.ts'
import { testStoreCrashes } from './store-crash.ts'

const server = await startS3Server()

/** Beyond what a folder can hold: a bucket takes any text as a key. */
const S3_KEYS = [
  'plain.pdf',
  'space in name.pdf',
  'caf\u00e9.pdf',
  'cafe\u0301.pdf',
  'Case.pdf',
  'case.pdf',
  'plus+and&equals=;@.pdf',
  'percent%2Fencoded%20.pdf',
  '100%.pdf',
  'a/../b.pdf',
  'a//b.pdf',
  '/leading.pdf',
  'new\nline\ttab.pdf',
  'quote"\'<>&amp;.pdf',
  'back\\slash.pdf',
  'question?hash#.pdf',
  'emoji 🎉.pdf',
  'a.pdf',
  'a.pdf/b.pdf',
  'no-extension',
  `${'long/'.repeat(190)}end.pdf`,
]

if (server.kind === 'unavailable') {
  describe.skip(`the S3 source: ${server.reason}`, () => test('keeps the promises of a source', () => {}))
  describe.skip(`the S3 store: ${server.reason}`, () => test('keeps the promises of a store', () => {}))
} else {
  const { client, newBucket } = server
  afterAll(() => server[Symbol.asyncDispose]())

  testSource('the S3 source', S3_KEYS, async () => {
    const bucket = await newBucket()
    return {
      source: openS3Source({ client, bucket, prefix: 'some/folder' }),
      async write(key, bytes) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: `some/folder/${key}`, Body: Buffer.from(bytes) }))
      },
      async remove(key) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `some/folder/${key}` }))
      },
      async [Symbol.asyncDispose]() {},
    }
  })

  test('the S3 source follows the .sluiceignore at its root for keys of any characters', async () => {
    const bucket = await newBucket()
    const rules = '*.csv\n/drafts/\n# a comment\n!keep.csv\n'
    const ignored = ['a.csv', 'x/b.csv', 'drafts/c.pdf', 'drafts/x/d.pdf']
    const taken = [...S3_KEYS, 'x/keep.csv', 'x/drafts/e.pdf']
    for (const key of ['.sluiceignore', ...ignored, ...taken]) {
      const Body = key === '.sluiceignore' ? rules : key
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `in/${key}`, Body }))
    }
    const items = await collect(openS3Source({ client, bucket, prefix: 'in' }).list(new AbortController().signal))
    expect(
      items
        .filter(isTaken)
        .map(({ key }) => String(key))
        .sort(),
    ).toEqual([...taken].sort())
  })

  const fresh = async () => {
    const store = await openS3Store({ client, bucket: await newBucket(), prefix: 'parsed' })
    return { store, async [Symbol.asyncDispose]() {} }
  }
  testOutputStore('the S3 store', fresh)
  testBusyStore('the S3 store', fresh)

  testFeedStorage('the S3 store', fresh)

  test('the S3 store reports unexplained objects as orphans, but not those of a commit in flight', async () => {
    const bucket = await newBucket()
    const store = await openS3Store({ client, bucket, prefix: 'parsed' })
    const files = outputs({ 'document.md': 'text' })
    await store.documents.commit(recordOf('folder/a.pdf', files), files)
    await store.documents.commit(recordOf('b.pdf', files), files)
    const old = `${(Date.now() - 48 * 3_600_000).toString(36)}-0123456789`
    const young = `${Date.now().toString(36)}-0123456789`
    const orphans = [
      'documents/b.pdf/notes.txt',
      'documents/c.pdf/record.json',
      `documents/folder/a.pdf/${old}/document.md`,
      'documents/readme.txt',
      'failures/half.json',
      'receipts/ab/mine.json.gz',
    ]
    for (const name of [...orphans, `documents/folder/a.pdf/${young}/document.md`]) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `parsed/${name}`, Body: '{"half' }))
    }
    const found = await collect(store.maintenance.orphans(new AbortController().signal))
    expect(found.map(({ path }) => path).sort()).toEqual(orphans)
    for (const orphan of found) await store.maintenance.removeOrphan(orphan)
    expect(await collect(store.maintenance.orphans(new AbortController().signal))).toEqual([])
    expect((await store.documents.readOutput(sourceKey('folder/a.pdf'), 'document.md'))?.toString()).toBe('text')
  })

  testLostAnswers(async () => {
    const ownClient = openS3Client(server)
    afterAll(() => ownClient.destroy())
    return { client: ownClient, bucket: await newBucket() }
  })

  testStoreCrashes('the S3 store', 3, async () => {
    const { endpoint, accessKeyId, secretAccessKey } = server
    const opened = { client: { endpoint, accessKeyId, secretAccessKey }, bucket: await newBucket() }
    return { address: { kind: 's3', ...opened }, leftovers: async () => [], async [Symbol.asyncDispose]() {} }
  })

  describe('the S3 store', () => {
    test('uses the layout of the folder store, with outputs in a folder that the record names', async () => {
      const bucket = await newBucket()
      const store = await openS3Store({ client, bucket, prefix: 'parsed/' })
      const big = new Map([['document.md', Buffer.alloc(20 * 1024 * 1024, 'more than one part ')]])
      await store.documents.commit(recordOf('x/a.pdf', big), big)
      await store.receipts.save(receiptOf('one'), Buffer.from('{}'), null)
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      const receipt = receiptOf('one')
      expect(Contents.map(({ Key, Size }) => [Key?.replace(/[0-9a-z]+-[0-9a-f]{10}(?=\/)/, 'COMMIT'), Size])).toEqual([
        ['parsed/documents/x/a.pdf/COMMIT/document.md', 20 * 1024 * 1024],
        ['parsed/documents/x/a.pdf/record.json', expect.any(Number)],
        [`parsed/receipts/${receipt.slice(0, 2)}/${receipt}.json.gz`, expect.any(Number)],
      ])
      const output = await store.documents.readOutput(sourceKey('x/a.pdf'), 'document.md')
      expect(output?.equals(big.get('document.md') as Buffer)).toBe(true)
    })

    test('uses one request for a new receipt', async () => {
      const store = await openS3Store({ client, bucket: await newBucket() })
      const sent: string[] = []
      const count = { name: 'count', step: 'initialize' } as const
      client.middlewareStack.add(
        (next, { commandName }) =>
          (args) => (sent.push(String(commandName)), next(args)),
        count,
      )
      await store.receipts.save(receiptOf('one'), Buffer.from('{}'), null)
      client.middlewareStack.remove('count')
      expect(sent).toEqual(['PutObjectCommand'])
    })

    test('reads outputs of a listed record without rereading it, and those of a newer commit', async () => {
      const ownClient = openS3Client(server)
      const store = await openS3Store({ client: ownClient, bucket: await newBucket() })
      const before = outputs({ 'document.md': 'before', 'pages.jsonl': '{}\n' })
      await store.documents.commit(recordOf('a.pdf', before), before)
      const [listed] = await collect(store.documents.list(new AbortController().signal))
      const sent: string[] = []
      ownClient.middlewareStack.add(
        (next, { commandName }) =>
          (args) => (sent.push(String(commandName)), next(args)),
        { name: 'count', step: 'initialize' },
      )
      const read = async () => (await store.documents.readOutput(sourceKey('a.pdf'), 'document.md', listed))?.toString()
      expect(await read()).toBe('before')
      expect(sent).toEqual(['GetObjectCommand'])
      const after = outputs({ 'document.md': 'after' })
      await store.documents.commit(recordOf('a.pdf', after), after)
      expect(await read()).toBe('after')
      ownClient.destroy()
    })

    test('reads a record of 0.2.0 that holds its outputs, and replaces and removes it', async () => {
      const bucket = await newBucket()
      const store = await openS3Store({ client, bucket })
      const held = outputs({ 'document.md': 'held \u{1F389}', 'pages.jsonl': '{}\n' })
      const texts = Object.fromEntries([...held].map(([name, bytes]) => [name, bytes.toString()]))
      const put = async (key: string): Promise<void> => {
        const Body = JSON.stringify({ ...recordOf(key, held), folder: 'mgz1k2x4-0123456789', outputs: texts })
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: `documents/${key}/record.json`, Body }))
      }
      await put('a.pdf')
      await put('b.pdf')
      const listed = await collect(store.documents.list(new AbortController().signal))
      expect(listed).toEqual([recordOf('a.pdf', held), recordOf('b.pdf', held)])
      expect(await collect(store.maintenance.orphans(new AbortController().signal))).toEqual([])
      for (const [name, bytes] of held) {
        expect(await store.documents.readOutput(sourceKey('a.pdf'), name)).toEqual(Buffer.from(bytes))
        expect(await store.documents.readOutput(sourceKey('a.pdf'), name, listed[0])).toEqual(Buffer.from(bytes))
      }
      const other = recordOf('a.pdf', held, { source: 'file:///other/' })
      await expect(store.documents.commit(other, held)).rejects.toThrow(/file:\/\/\/archive/)
      const after = outputs({ 'document.md': 'after' })
      await store.documents.commit(recordOf('a.pdf', after), after)
      expect((await store.documents.readOutput(sourceKey('a.pdf'), 'document.md'))?.toString()).toBe('after')
      expect(await store.documents.readOutput(sourceKey('a.pdf'), 'pages.jsonl')).toBeNull()
      await store.documents.remove(sourceKey('b.pdf'))
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      expect(Contents.map(({ Key }) => Key?.replace(/[0-9a-z]+-[0-9a-f]{10}(?=\/)/, 'COMMIT'))).toEqual([
        'documents/a.pdf/COMMIT/document.md',
        'documents/a.pdf/record.json',
      ])
    })

    test('removes the outputs that a newer commit replaced, and a dead letter that outlived a crash', async () => {
      const bucket = await newBucket()
      const store = await openS3Store({ client, bucket })
      for (const text of ['one', 'two', 'three']) {
        const files = outputs({ 'document.md': text })
        await store.documents.commit(recordOf('a.pdf', files), files)
      }
      await store.deadLetters.bury(letterOf('a.pdf'))
      await store.deadLetters.bury(letterOf('a.pdf', { key: sourceKey('b.pdf') }))
      await store.maintenance.recover()
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      expect(Contents.map(({ Key }) => Key?.replace(/[0-9a-z]+-[0-9a-f]{10}\//, 'COMMIT/').replace(/~.*/, ''))).toEqual(
        ['documents/a.pdf/COMMIT/document.md', 'documents/a.pdf/record.json', 'failures/b.pdf'],
      )
    })

    test('names the remedy when the bucket is missing or closed', async () => {
      await expect(openS3Store({ client, bucket: randomUUID() })).rejects.toThrow(/no such bucket. Create it/)
      const stranger = openS3Client({ ...server, accessKeyId: 'stranger' })
      await expect(openS3Store({ client: stranger, bucket: await newBucket() })).rejects.toThrow(/access denied/)
      stranger.destroy()
    })
  })
}

/** What the store did and could not say any more: a commit stays all or nothing. The client is each test's own. */
function testLostAnswers(open: () => Promise<{ readonly client: S3Client; readonly bucket: string }>): void {
  const before = outputs({ 'document.md': 'before' })
  const after = outputs({ 'document.md': 'after' })
  const key = sourceKey('a.pdf')

  describe('a commit of the S3 store', () => {
    test('keeps the outputs of its record when the response to the record write is lost', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      loseAnswers(client, Infinity, 'PutObjectCommand', 'documents/a.pdf/record.json')
      await expect(store.documents.commit(recordOf(key, after), after)).rejects.toThrow(/cannot be reached/)
      expect(await store.documents.read(key)).not.toBeNull()
      expect((await store.documents.readOutput(key, 'document.md'))?.toString()).toBe('after')
    })

    test('succeeds though the outputs that it replaced cannot be deleted', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      await store.documents.commit(recordOf(key, before), before)
      loseAnswers(client, Infinity, 'ListObjectsV2Command')
      await store.documents.commit(recordOf(key, after), after)
      expect((await store.documents.readOutput(key, 'document.md'))?.toString()).toBe('after')
    })

    test('deletes the outputs that it replaced even when its record was written twice', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      // Twice: by the second one it is known how this store wants an ETag quoted.
      await store.documents.commit(recordOf(key, before), before)
      await store.documents.commit(recordOf(key, before), before)
      loseAnswers(client, 1, 'PutObjectCommand', 'documents/a.pdf/record.json')
      await store.documents.commit(recordOf(key, after), after)
      expect((await store.documents.readOutput(key, 'document.md'))?.toString()).toBe('after')
      expect((await client.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBe(2)
    })
  })
}

/** The line breaks when the store has done what it was asked for; the client tries again as it always does. */
function loseAnswers(client: S3Client, times: number, command: string, objectKey?: string): void {
  let left = times
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { Key } = args.input as { readonly Key?: string }
      if (context.commandName !== command || Key !== objectKey || left === 0) return next(args)
      left -= 1
      await next(args).catch(() => undefined)
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
    { step: 'deserialize', priority: 'high' },
  )
}
