import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { outputs, recordOf } from '../support/documents.ts'

/** What the store did and could not say any more: a commit stays all or nothing. The client is each test's own. */
export function testLostAnswers(open: () => Promise<{ readonly client: S3Client; readonly bucket: string }>): void {
  const before = outputs({ 'document.md': 'before' })
  const after = outputs({ 'document.md': 'after' })
  const key = sourceKey('a.pdf')

  describe('the S3 store: a commit', () => {
    test('whose record was written, and the answer lost for good, leaves the outputs that the record names', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      loseAnswers(client, Infinity, 'PutObjectCommand', 'documents/a.pdf/record.json')
      await expect(store.commit(recordOf(key, after), after)).rejects.toThrow(/cannot be reached/)
      expect(await store.readRecord(key)).not.toBeNull()
      expect((await store.readOutput(key, 'document.md'))?.toString()).toBe('after')
    })

    test('stands, although what it replaced could not be cleared away', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      await store.commit(recordOf(key, before), before)
      loseAnswers(client, Infinity, 'ListObjectsV2Command')
      await store.commit(recordOf(key, after), after)
      expect((await store.readOutput(key, 'document.md'))?.toString()).toBe('after')
    })

    test('whose record was written twice, as the first answer was lost, still clears away what it replaced', async () => {
      const { client, bucket } = await open()
      const store = await openS3Store({ client, bucket })
      // Twice: by the second one it is known how this store wants an ETag quoted.
      await store.commit(recordOf(key, before), before)
      await store.commit(recordOf(key, before), before)
      loseAnswers(client, 1, 'PutObjectCommand', 'documents/a.pdf/record.json')
      await store.commit(recordOf(key, after), after)
      expect((await store.readOutput(key, 'document.md'))?.toString()).toBe('after')
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
