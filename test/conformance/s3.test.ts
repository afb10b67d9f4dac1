import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import { afterAll, describe, test } from 'vitest'
import { openS3Client } from '#src/sources/s3-client.ts'
import { openS3Source } from '#src/sources/s3-source.ts'
import { startS3Server } from '../support/s3-server.ts'
import { testSource } from './source.ts'

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
} else {
  const client = openS3Client(server)
  afterAll(async () => {
    client.destroy()
    await server[Symbol.asyncDispose]()
  })
  const newBucket = async (): Promise<string> => {
    const bucket = randomUUID()
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    return bucket
  }

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
}
