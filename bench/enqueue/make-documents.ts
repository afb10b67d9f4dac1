import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { openS3Client } from '#src/sources/s3-client.ts'
import type { S3Server } from '../../test/support/s3-server.ts'
import { keyOf, PER_FOLDER } from './synthetic-source.ts'

/** Files with a size and without blocks on the disk: a million take no more than their names. */
export function makeFiles(folder: string, count: number): void {
  for (let number = 0; number < count; number++) {
    const path = join(folder, keyOf(number))
    if (number % PER_FOLDER === 0) mkdirSync(dirname(path), { recursive: true })
    const file = openSync(path, 'w')
    ftruncateSync(file, 100)
    closeSync(file)
  }
}

export async function makeObjects(server: S3Server, bucket: string, count: number): Promise<void> {
  const client = openS3Client(server)
  const limited = pLimit(32)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const put = async (number: number): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(number), Body: 'a' }))
  await limited.map(
    Array.from({ length: count }, (_, number) => number),
    put,
  )
  client.destroy()
}
