import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { openObject } from '#src/sources/s3-object.ts'
import { startScriptedStore } from '../support/scripted-store.ts'

/* What real stores do only when a line breaks. */

const never = new AbortController().signal

/** A store with one object, whose answers to one request after the other are given. */
async function storeThat(...answers: readonly ((response: ServerResponse) => void)[]) {
  let asked = 0
  const store = await startScriptedStore((_request, response) => answers[asked++]?.(response))
  return {
    place: { client: store.client, bucket: 'bucket', objectKey: 'a.pdf', spoolFolder: tmpdir() },
    asked: () => asked,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const whole = (bytes: Buffer, etag: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': bytes.length, etag: `"${etag}"` }).end(bytes)
}

/** The head of a whole answer, some of its bytes, and then nothing more. */
const cut = (bytes: Buffer, after: number) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': bytes.length, etag: '"one"' })
  response.write(bytes.subarray(0, after), () => setTimeout(() => response.destroy(), 20))
}

async function readAll(place: Parameters<typeof openObject>[0]): Promise<string> {
  const opened = await openObject(place, 'a.pdf', never)
  if (!('version' in opened)) throw new Error(opened.message)
  await using document = opened
  const hash = createHash('sha256')
  for await (const chunk of document.read(never)) hash.update(chunk)
  return hash.digest('hex')
}

describe.each([
  ['small', 100_000],
  ['large', 1_000_000],
])('a %s object', (_size, length) => {
  const bytes = Buffer.alloc(length, 'held back by a gate and let through a sluice; ')
  const digest = createHash('sha256').update(bytes).digest('hex')

  test('is read whole over lines that break', async () => {
    await using store = await storeThat(cut(bytes, 0), cut(bytes, 70_000), cut(bytes, 30_000), whole(bytes, 'one'))
    expect(await readAll(store.place)).toBe(digest)
    expect(store.asked()).toBe(4)
  })

  test('is not pieced together of two versions', async () => {
    await using store = await storeThat(cut(bytes, 70_000), whole(bytes, 'two'))
    await expect(readAll(store.place)).rejects.toMatchObject({ name: 'DocumentChanged' })
  })

  test('is asked for once, when all goes well', async () => {
    await using store = await storeThat(whole(bytes, 'one'))
    expect(await readAll(store.place)).toBe(digest)
    expect(store.asked()).toBe(1)
  })
})
