import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { storeId } from '#src/document/ids.ts'
import { STORE_FORMAT } from '#src/document/store-manifest.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { openS3Client } from '#src/s3/client.ts'
import { restore } from '../fixtures/e8a17ec/restore.ts'
import { collect } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, STACK_TRACE } from '../support/sluice.ts'

const s3 = await startS3Server()
afterAll(async () => {
  if (s3.kind === 'ready') await s3[Symbol.asyncDispose]()
})
const unavailable = s3.kind === 'unavailable' ? s3.reason : null
const name = unavailable === null ? 'a store in a bucket' : `a store in a bucket (not run: ${unavailable})`

async function openBucketSetup() {
  if (s3.kind !== 'ready') throw new Error('no S3')
  const { endpoint, accessKeyId, secretAccessKey } = s3
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await temporaryFolder())
  const redis = resources.use(await startTestRedis())
  const service = resources.use(await new ScriptedService({}).listen())
  const client = openS3Client(s3)
  resources.defer(() => client.destroy())
  const bucket = `upgrade-${randomUUID().slice(0, 8)}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const source = join(folder.path, 'in')
  const env = {
    SLUICE_S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    REDIS_URL: redis.url,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: 'test-key',
    SLUICE_STATE_DIR: join(folder.path, 'state'),
  }
  const kept = resources.move()
  return {
    source,
    service,
    redis,
    storeUrl: `s3://${bucket}/out/`,
    put: async (path: string, bytes: Buffer): Promise<void> =>
      void (await client.send(new PutObjectCommand({ Bucket: bucket, Key: `out/${path}`, Body: bytes }))),
    /** Bytes of every object, by name. */
    objects: async (): Promise<ReadonlyMap<string, string>> => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      const found = new Map<string, string>()
      for (const { Key } of Contents) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
        found.set(Key ?? '', (await Body?.transformToString('base64')) ?? '')
      }
      return found
    },
    store: () => openS3Store({ client, bucket, prefix: 'out' }),
    run: (...more: readonly string[]) => sluice(['run', source, '--out', `s3://${bucket}/out`, ...more], { env }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const never = new AbortController().signal

describe.skipIf(unavailable !== null)(name, () => {
  test('that release e8a17ec left is taken over with its half-done queue: nothing is lost, nothing is parsed again', async () => {
    await using at = await openBucketSetup()
    const { source, storeUrl, put, redis } = at
    const { pipeline } = await restore({ kind: 'bucket', source, storeUrl, put, redis: redis.connection })
    const before = await collect((await at.store()).listRecords(never))
    const done = await at.run('--accept-local')
    expect(done.stderr).toMatch(/^taken over from an earlier release: 4 documents and 1 failures in the store, /m)
    expect(done.code, done.stdout + done.stderr).toBe(2)
    expect(at.service.charged).toBe(2)
    const after = await collect((await at.store()).listRecords(never))
    const keys = [...before.map(({ key }) => key), 'd.html', 'e.html']
    expect(after.map(({ key }) => String(key)).toSorted()).toEqual(keys.toSorted())
    for (const record of before) expect(after.find(({ key }) => key === record.key)).toEqual(record)
    expect(await redis.connection.keys(`{sluice:${pipeline}}:*`)).toEqual([])
    const again = await at.run('--accept-local')
    expect(again.stderr).not.toMatch(/earlier release/)
    expect(again.stdout).toMatch(/7 documents unchanged, nothing sent/)
    const letters = await collect((await at.store()).listDeadLetters(never))
    expect(letters.map(({ key }) => String(key))).toEqual(['damaged.pdf'])
    expect(await collect((await at.store()).listOrphans(never))).toEqual([])
  }, 240_000)

  test('that was adopted is closed to that release, before a record of the new format is in it', async () => {
    await using at = await openBucketSetup()
    const { source, storeUrl, put, redis } = at
    await restore({ kind: 'bucket', source, storeUrl, put, redis: redis.connection })
    const store = await at.store()
    const source1 = { id: 's' as never, name: 'in', address: 'file:///in', prefix: '', since: '2026-01-01T00:00:00Z' }
    const manifest = { format: STORE_FORMAT, revision: 1, createdAt: '', createdBy: 'test', sources: [source1] }
    expect(await store.writeManifest({ ...manifest, id: storeId('adopted'), adoptedFormat: 1 })).toBe(true)
    // Release e8a17ec reads every object of `failures/` when it opens a store, and refuses a schema above 1.
    const failures = [...(await at.objects())].filter(([path]) => path.startsWith('out/failures/'))
    const schemas = failures.map(
      ([, bytes]) => JSON.parse(Buffer.from(bytes, 'base64').toString()) as { schema: number },
    )
    expect(schemas[0]?.schema).toBeGreaterThan(1)
    expect(await collect(store.listDeadLetters(never))).toHaveLength(failures.length - 1)
  }, 240_000)

  test('of a later format is refused, and nothing is changed in it', async () => {
    await using at = await openBucketSetup()
    await mkdir(at.source)
    await writeFile(join(at.source, 'a.html'), '<p>a')
    await at.put('store.json', Buffer.from(JSON.stringify({ format: 4, id: 'later', revision: 1, sources: [] })))
    const before = await at.objects()
    const refused = await at.run()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/has format 4.*update Sluice/s)])
    expect(refused.stderr).not.toMatch(STACK_TRACE)
    expect(at.service.requests).toHaveLength(0)
    expect(await at.objects()).toEqual(before)
  }, 240_000)
})
