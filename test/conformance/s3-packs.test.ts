import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, describe, expect, test } from 'vitest'
import { contentHash, type ReceiptId, sourceKey } from '#src/document/ids.ts'
import { LARGE_BYTES, PackedObjects } from '#src/outputs/s3/packs/packed-objects.ts'
import { S3Bucket } from '#src/outputs/s3/objects/s3-bucket.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { openS3Client } from '#src/s3/client.ts'
import { collect, letterOf, outputs, receiptOf, recordOf } from '../support/documents.ts'
import { makeStore } from '../support/open-store-at.ts'
import { Random } from '../support/random.ts'
import { startS3Server } from '../support/s3-server.ts'
import { testBusyStore } from './busy-store.ts'
import { testFeedStorage } from './feed-storage.ts'
import { testOutputStore } from './output-store.ts'
import { testStoreCrashes } from './store-crash.ts'

const PACK_MS = 20
const never = new AbortController().signal
const server = await startS3Server()

if (server.kind === 'unavailable') {
  describe.skip(`the packed S3 store: ${server.reason}`, () => test('keeps the promises of a store', () => {}))
} else {
  const { client, newBucket } = server
  afterAll(() => server[Symbol.asyncDispose]())
  const open = async (bucket: string, own: S3Client = client): Promise<OutputStore> => {
    const store = await openS3Store({ client: own, bucket, prefix: 'parsed', packMs: PACK_MS })
    await makeStore(store)
    return store
  }
  const namesIn = async (bucket: string, folder: string): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: `parsed/${folder}` }),
    )
    return Contents.map(({ Key = '' }) => Key.slice('parsed/'.length))
  }
  const fresh = async () => ({ store: await open(await newBucket()), async [Symbol.asyncDispose]() {} })

  testOutputStore('the packed S3 store', fresh)
  testBusyStore('the packed S3 store', fresh)
  testFeedStorage('the packed S3 store', fresh)
  testStoreCrashes('the packed S3 store', 4, async () => {
    const { endpoint, accessKeyId, secretAccessKey } = server
    const opened = { client: { endpoint, accessKeyId, secretAccessKey }, bucket: await newBucket() }
    return {
      address: { kind: 's3', ...opened, packMs: PACK_MS },
      leftovers: async () => [],
      async [Symbol.asyncDispose]() {},
    }
  })

  test('the packed S3 store keeps many documents in few objects that another process can read', async () => {
    const bucket = await newBucket()
    const store = await open(bucket)
    const keys = Array.from({ length: 60 }, (_, at) => `folder/${at}.pdf`)
    const files = outputs({ 'document.md': 'text', 'blocks.jsonl': '{}\n' })
    await Promise.all(
      keys.map(async (key) => {
        await store.receipts.save(receiptOf(key), Buffer.from(`answer ${key}`), null)
        await store.documents.commit(recordOf(key, files, { receipt: receiptOf(key) }), files)
      }),
    )
    expect((await namesIn(bucket, '')).filter((name) => !name.startsWith('packs/log/'))).toEqual(['store.json'])
    expect((await namesIn(bucket, 'packs/log/')).length).toBeLessThan(keys.length / 2)
    const other = await open(bucket)
    for (const key of keys) {
      expect((await other.receipts.read(receiptOf(key)))?.body.toString()).toBe(`answer ${key}`)
      expect((await other.documents.readOutput(sourceKey(key), 'blocks.jsonl'))?.toString()).toBe('{}\n')
    }
    expect(await collect(other.documents.list(never))).toHaveLength(60)
  })

  test('the packed S3 store shows each write of a process to every other process at its next read', async () => {
    const bucket = await newBucket()
    const stores = [await open(bucket), await open(bucket), await open(bucket)] as const
    const random = new Random(9401)
    const first = new Map<ReceiptId, string>()
    for (let round = 0; round < 14; round++) {
      const key = `${random.below(10)}.pdf`
      const writer = random.pick(stores)
      const reader = random.pick(stores)
      const files = outputs({ 'document.md': `round ${round}` })
      const id = receiptOf(key)
      const saved = [writer, reader].map((store, at) => store.receipts.save(id, Buffer.from(`${round}.${at}`), null))
      await Promise.all([...saved, writer.documents.commit(recordOf(key, files, { attempts: round }), files)])
      expect((await reader.documents.read(sourceKey(key)))?.attempts).toBe(round)
      const bodies = await Promise.all(stores.map(async (store) => (await store.receipts.read(id))?.body.toString()))
      expect(new Set(bodies).size).toBe(1)
      expect(bodies[0]).toBe(first.get(id) ?? bodies[0])
      first.set(id, bodies[0] ?? '')
      if (round % 4 === 3) await writer.deadLetters.bury(letterOf(key, { attempts: round }))
      if (round % 4 === 3) expect((await reader.deadLetters.read(sourceKey(key)))?.attempts).toBe(round)
      if (round % 5 === 4) await writer.documents.remove(sourceKey(key))
      if (round % 5 === 4) expect(await reader.documents.have([sourceKey(key)])).toEqual([false])
    }
  })

  test('packs keep every conditional write that succeeded in a race, whichever process wrote it', async () => {
    const bucket = await newBucket()
    const at = { client, bucket, prefix: '', writing: {} }
    const writers = Array.from({ length: 4 }, () => new PackedObjects(new S3Bucket(at), { delayMs: PACK_MS }))
    const name = 'documents/counter.pdf/record.json'
    expect(
      (await Promise.all(writers.map((each) => each.putIf(name, Buffer.from('0'), { kind: 'absent' })))).filter(
        Boolean,
      ),
    ).toHaveLength(1)
    let counted = 0
    await Promise.all(
      writers.map(async (writer) => {
        for (let round = 0; round < 6; round++) {
          const stored = await writer.get(name)
          if (stored === null) throw new Error('it is there')
          const next = Buffer.from(`${Number(stored.bytes.toString()) + 1}`)
          if (await writer.putIf(name, next, { kind: 'unchanged', etag: stored.etag })) counted += 1
        }
      }),
    )
    expect(counted).toBeGreaterThan(0)
    for (const writer of writers) expect((await writer.get(name))?.bytes.toString()).toBe(`${counted}`)
  })

  test('a pack whose write response was lost is recognised as written, and written once', async () => {
    const bucket = await newBucket()
    const ownClient = openS3Client(server)
    const store = await open(bucket, ownClient)
    let lost = 0
    ownClient.middlewareStack.add(
      (next, context) => async (args) => {
        const { Key = '' } = args.input as { readonly Key?: string }
        if (context.commandName !== 'PutObjectCommand' || !Key.includes('packs/log/') || lost >= 2) return next(args)
        lost += 1
        await next(args).catch(() => undefined)
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
      },
      { step: 'deserialize', priority: 'high' },
    )
    await store.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
    expect(lost).toBe(2)
    expect(await namesIn(bucket, 'packs/log/')).toHaveLength(1)
    expect((await (await open(bucket)).receipts.read(receiptOf('one')))?.body.toString()).toBe('answer')
    ownClient.destroy()
  })

  test('the packed S3 store keeps a large file as its own object, deleted on replacement or removal', async () => {
    const bucket = await newBucket()
    const store = await open(bucket)
    const bytes = Buffer.alloc(LARGE_BYTES + 1, 'large ')
    const files = new Map([['document.md', bytes]])
    const answer = new Random(9402).bytes(2 * LARGE_BYTES)
    await store.receipts.save(receiptOf('one'), answer, null)
    await store.documents.commit(recordOf('a.pdf', files), files)
    await store.documents.commit(recordOf('a.pdf', files, { attempts: 2 }), files)
    expect(await namesIn(bucket, 'packs/large/')).toHaveLength(2)
    const other = await open(bucket)
    expect((await other.documents.readOutput(sourceKey('a.pdf'), 'document.md'))?.equals(bytes)).toBe(true)
    expect((await other.receipts.read(receiptOf('one')))?.body.equals(answer)).toBe(true)
    const listed = await collect(other.receipts.list(never, contentHash(receiptOf('one').slice(0, 64))))
    expect(listed.map(({ id }) => id)).toEqual([receiptOf('one')])
    expect(await collect(other.maintenance.orphans(never))).toEqual([])
    await other.documents.remove(sourceKey('a.pdf'))
    await store.receipts.remove(receiptOf('one'))
    expect(await namesIn(bucket, 'packs/large/')).toEqual([])
    expect(await collect(store.receipts.list(never))).toEqual([])
  })

  test('the packed S3 store reads the contents of a pack once for any number of listings', async () => {
    const bucket = await newBucket()
    const writer = await open(bucket)
    const ids = ['one', 'two', 'three', 'four', 'five'].map(receiptOf)
    for (const id of ids) await writer.receipts.save(id, Buffer.from(id), null)
    const counted = openS3Client(server)
    const asked: string[] = []
    counted.middlewareStack.add((next) => async (call) => {
      asked.push((call.input as { readonly Key?: string }).Key ?? '')
      return next(call)
    })
    const store = await open(bucket, counted)
    for (let times = 0; times < 3; times++) {
      expect((await collect(store.receipts.list(never))).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    }
    const packs = await namesIn(bucket, 'packs/log/')
    expect(packs.length).toBeGreaterThanOrEqual(5)
    for (const pack of packs) expect(asked.filter((key) => key === `parsed/${pack}`)).toHaveLength(1)
    counted.destroy()
  })

  test('a store without packs refuses the setting, and a store with packs keeps them without it', async () => {
    const bucket = await newBucket()
    await makeStore(await openS3Store({ client, bucket, prefix: 'plain' }))
    const asked = await openS3Store({ client, bucket, prefix: 'plain', packMs: PACK_MS })
    await expect(asked.manifest.read()).rejects.toThrow('--s3-pack needs a store that was made with it')
    await open(bucket)
    const unset = await openS3Store({ client, bucket, prefix: 'parsed', mustExist: true })
    await unset.receipts.save(receiptOf('one'), Buffer.from('answer'), null)
    expect(await namesIn(bucket, 'receipts/')).toEqual([])
    expect((await unset.manifest.read())?.format).toBe(3)
  })

  test('a damaged or missing pack is named, and none of its documents is treated as absent', async () => {
    const bucket = await newBucket()
    const store = await open(bucket)
    for (const text of ['one', 'two']) await store.receipts.save(receiptOf(text), Buffer.from(text), null)
    const [first = ''] = await namesIn(bucket, 'packs/log/')
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: `parsed/${first}` }))
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).toString('latin1')).toMatch(/^SLUICEP1/)
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `parsed/${first}`, Body: 'something else' }))
    await expect((await open(bucket)).receipts.read(receiptOf('two'))).rejects.toThrow('restore it from a backup')
  })
}
