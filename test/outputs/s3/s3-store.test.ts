import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { contentHash, receiptId, recipeHash, sourceKey } from '#src/document/ids.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { cutObject, startStoreThat, type StoreAnswer, storeError, wholeObject } from '../../support/scripted-store.ts'

/* What real stores do only when a line breaks, or under more load than a test makes. */

const bucketIsThere: StoreAnswer = (response) => response.writeHead(200).end()
/** HEAD has no body, and so no reason. */
const notFound: StoreAnswer = (response) => response.writeHead(404).end()
const receipt = receiptId(contentHash('a'.repeat(64)), recipeHash('b'.repeat(16)))
const never = new AbortController().signal

async function storeThat(...answers: readonly StoreAnswer[]) {
  const server = await startStoreThat(bucketIsThere, ...answers)
  return { ...server, store: await openS3Store({ client: server.client, bucket: 'bucket', prefix: 'out' }) }
}

async function exhaust(all: AsyncIterable<unknown>): Promise<void> {
  for await (const one of all) void one
}

test('the S3 store reads a receipt completely over broken connections', async () => {
  const packed = gzipSync('an answer that was paid for')
  await using at = await storeThat(cutObject(packed, 5), cutObject(packed, 20), wholeObject(packed, 'one'))
  expect((await at.store.receipts.read(receipt))?.body.toString()).toBe('an answer that was paid for')
})

test.concurrent.each<readonly [string, (store: OutputStore) => Promise<unknown>, string]>([
  ['reading a receipt', (store) => store.receipts.read(receipt), 'cannot read receipts/aa/'],
  ['reading a record', (store) => store.documents.read(sourceKey('a.pdf')), 'cannot read documents/a.pdf'],
  ['listing records', (store) => exhaust(store.documents.list(never)), 'cannot list s3://bucket/out/documents/'],
  ['recovering', (store) => store.maintenance.recover(), 'cannot list s3://bucket/out/failures/'],
  ['removing a receipt', (store) => store.receipts.remove(receipt), 'cannot remove receipts/aa/'],
])('the S3 store reports an outage in one sentence when %s', async (_, work, what) => {
  await using at = await storeThat(storeError(503, 'SlowDown'))
  const error = await work(at.store).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StoreUnusable)
  expect(String(error)).toContain(`Sluice ${what}`)
  expect(String(error)).toContain('the store answered SlowDown (503).')
})

test('the S3 store does not treat an unavailable bucket as one without a receipt', async () => {
  await using at = await storeThat(storeError(404, 'NoSuchBucket'))
  await expect(at.store.receipts.read(receipt)).rejects.toThrow('there is no such bucket.')
})

test('the S3 store does not treat an unavailable bucket as one without records', async () => {
  await using at = await storeThat(notFound, notFound)
  await expect(at.store.documents.have([sourceKey('a.pdf')])).rejects.toThrow('there is no such bucket.')
})

test('the S3 store reads an absent record as null', async () => {
  await using at = await storeThat(notFound, bucketIsThere)
  expect(await at.store.documents.have([sourceKey('a.pdf')])).toEqual([false])
})

test('the S3 store reads an absent receipt as null', async () => {
  await using at = await storeThat(storeError(404, 'NoSuchKey'))
  expect(await at.store.receipts.read(receipt)).toBeNull()
})
