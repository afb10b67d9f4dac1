import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, test } from 'vitest'
import { openObject } from '#src/sources/s3/s3-object.ts'
import { cutObject, startStoreThat, storeError, wholeObject } from '../../support/scripted-store.ts'

/* What real stores do only when a line breaks. */

const never = new AbortController().signal

const locationIn = ({ client }: { readonly client: S3Client }): Parameters<typeof openObject>[0] => {
  return { client, bucket: 'bucket', objectKey: 'a.pdf', spoolFolder: tmpdir() }
}

async function readAll(location: Parameters<typeof openObject>[0]): Promise<string> {
  const opened = await openObject(location, 'a.pdf', never)
  if (!('version' in opened)) throw new Error(opened.message)
  await using document = opened
  const hash = createHash('sha256')
  for await (const chunk of document.read(never)) hash.update(chunk)
  return hash.digest('hex')
}

describe.each([
  ['small', 100_000],
  ['large', 1_000_000],
])('a %s object of the S3 source', (_size, length) => {
  const bytes = Buffer.alloc(length, 'held back by a gate and let through a sluice; ')
  const digest = createHash('sha256').update(bytes).digest('hex')

  test('is read completely over broken connections', async () => {
    await using store = await startStoreThat(
      cutObject(bytes, 0),
      cutObject(bytes, 70_000),
      cutObject(bytes, 30_000),
      wholeObject(bytes, 'one'),
    )
    expect(await readAll(locationIn(store))).toBe(digest)
    expect(store.asked()).toBe(4)
  })

  test('is never mixed from two versions', async () => {
    await using store = await startStoreThat(cutObject(bytes, 70_000), wholeObject(bytes, 'two'))
    await expect(readAll(locationIn(store))).rejects.toMatchObject({ name: 'DocumentChanged' })
  })

  test('is requested once when no connection breaks', async () => {
    await using store = await startStoreThat(wholeObject(bytes, 'one'))
    expect(await readAll(locationIn(store))).toBe(digest)
    expect(store.asked()).toBe(1)
  })

  test('whose connections all break is an unavailable source, not an internal error', async () => {
    await using store = await startStoreThat(cutObject(bytes, 30_000))
    await expect(readAll(locationIn(store))).rejects.toMatchObject({
      name: 'SourceUnusable',
      message: expect.stringMatching(/^Sluice cannot read "a.pdf" in s3:\/\/bucket: the store cannot be reached/),
    })
  })
})

test.each([
  [503, 'SlowDown', 'the store answered SlowDown (503).'],
  [
    403,
    'InvalidAccessKeyId',
    'the store refuses the access key, or the clock of this machine is wrong (InvalidAccessKeyId).',
  ],
  [400, 'ExpiredToken', 'the store refuses the access key, or the clock of this machine is wrong (ExpiredToken).'],
  [404, 'NoSuchBucket', 'there is no such bucket.'],
])('a store that answers %i %s is an unavailable source', async (status, code, reason) => {
  await using store = await startStoreThat(storeError(status, code))
  await expect(readAll(locationIn(store))).rejects.toMatchObject({
    name: 'SourceUnusable',
    message: `Sluice cannot read "a.pdf" in s3://bucket: ${reason}`,
  })
})

test('an S3 object without permission fails alone', async () => {
  await using store = await startStoreThat(storeError(403, 'AccessDenied'))
  expect(await openObject(locationIn(store), 'a.pdf', never)).toMatchObject({ code: 'unreadable' })
})
