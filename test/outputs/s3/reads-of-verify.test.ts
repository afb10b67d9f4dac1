import { describe, expect, test } from 'vitest'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { openS3Client } from '#src/s3/client.ts'
import { collect, outputs, recordOf } from '../../support/documents.ts'
import { makeStore } from '../../support/open-store-at.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { shared } from '../../support/shared.ts'

const never = new AbortController().signal
const server = await shared(startS3Server())

describe.skipIf(server.kind === 'unavailable')('a bucket whose records were just listed', () => {
  test('is searched for orphans without reading the records again', async () => {
    if (server.kind === 'unavailable') return
    const client = openS3Client(server)
    const store = await openS3Store({ client, bucket: await server.newBucket() })
    await makeStore(store)
    const files = outputs({ 'document.md': 'text', 'pages.jsonl': '{}' })
    const keys = Array.from({ length: 12 }, (_, at) => `x/${at}.pdf`)
    for (const key of keys) await store.documents.commit(recordOf(key, files), files)
    const read: string[] = []
    client.middlewareStack.add((next) => async (call) => {
      const { Key = '' } = call.input as { readonly Key?: string }
      if (Key.endsWith('/record.json')) read.push(Key)
      return next(call)
    })
    expect((await collect(store.documents.list(never))).map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    expect(await collect(store.maintenance.orphans(never))).toEqual([])
    expect(read.length).toBe(keys.length)
    client.destroy()
  })
})
