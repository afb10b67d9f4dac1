import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { sluice, STACK_TRACE } from '../support/sluice.ts'
import { shared } from '../support/shared.ts'

const s3 = await shared(startS3Server())
const unavailable = s3.kind === 'unavailable' ? s3.reason : null
const name = unavailable === null ? 'a store in a bucket' : `a store in a bucket (not run: ${unavailable})`

async function openBucketSetup() {
  if (s3.kind !== 'ready') throw new Error('no S3')
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await tempFolder())
  const redis = resources.use(await startTestRedis())
  const service = resources.use(await new ScriptedService({}).listen())
  const { client } = s3
  const bucket = await s3.newBucket()
  const source = join(folder.path, 'in')
  const env = {
    ...s3.env,
    REDIS_URL: redis.url,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: 'test-key',
    SLUICE_STATE_DIR: join(folder.path, 'state'),
  }
  const kept = resources.move()
  return {
    source,
    service,
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
    run: (...more: readonly string[]) => sluice(['run', source, '--out', `s3://${bucket}/out`, ...more], { env }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

describe.skipIf(unavailable !== null)(name, () => {
  test('of a later format is refused, and stays unchanged', async () => {
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
