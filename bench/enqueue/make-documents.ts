import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Pool } from 'undici'
import { openS3Client } from '#src/s3/client.ts'
import type { S3Server } from '../../test/support/s3-server.ts'
import { keyOf, PER_FOLDER } from './synthetic-source.ts'

/** Sparse files: they have a size but no blocks on the disk, so that a million take up only their names. */
export function makeFiles(folder: string, count: number): void {
  for (let number = 0; number < count; number++) {
    const path = join(folder, keyOf(number))
    if (number % PER_FOLDER === 0) mkdirSync(dirname(path), { recursive: true })
    const file = openSync(path, 'w')
    ftruncateSync(file, 100)
    closeSync(file)
  }
}

const PUTS_AT_ONCE = 32

/**
 * Writes objects of one byte. The bucket allows anonymous writes, so that no request is signed: for one PUT the SDK
 * alone would take longer than the store. Returns objects written per second.
 */
export async function makeObjects(server: S3Server, bucket: string, count: number): Promise<number> {
  const client = openS3Client(server)
  await client.send(new CreateBucketCommand({ Bucket: bucket, ACL: 'public-read-write' }))
  client.destroy()
  const pool = new Pool(server.endpoint, { connections: PUTS_AT_ONCE })
  const startedAt = performance.now()
  let number = 0
  const putSome = async (): Promise<void> => {
    while (number < count) {
      const path = `/${bucket}/${encodeURI(keyOf(number++))}`
      const { statusCode, body } = await pool.request({ method: 'PUT', path, body: 'a' })
      await body.dump()
      if (statusCode !== 200) throw new Error(`PUT ${path}: ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, putSome))
  await pool.close()
  return Math.round((count * 1000) / (performance.now() - startedAt))
}
