import { expect, test } from 'vitest'
import { recipeHash, sourceKey, version } from '#src/document/ids.ts'
import { lostRecords } from '#src/ingest/maintain/lost-records.ts'
import { RedisLedger } from '#src/ledger/redis-ledger.ts'
import { openS3Store } from '#src/outputs/s3/s3-store.ts'
import { collect, outputs, receiptOf, recordOf } from '../../support/documents.ts'
import { MemoryStore } from '../../support/memory-store.ts'
import { startTestRedis } from '../../support/redis.ts'
import { startScriptedStore } from '../../support/scripted-store.ts'
import { inOrder } from '../../support/listing-store.ts'
import { shared } from '../../support/shared.ts'

/* A store that only lists and reads, over real HTTP, and counts what it is asked. */

const PAGE = 1_000
const DOCUMENTS = 2_500
const LOST = ['f3/17.pdf', 'f9/4.pdf', 'ü/1.pdf']

const redis = await shared(startTestRedis())

async function storeOf(objects: readonly string[]) {
  const keys = inOrder(objects)
  const asked = { lists: 0, heads: 0 }
  const store = await startScriptedStore((request, response) => {
    const url = new URL(request.url ?? '', 'http://store')
    if (url.searchParams.get('list-type') !== '2') {
      const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ''))
      // Once for each batch with a record that is not found, the bucket itself is searched for.
      asked.heads += key === '' ? 0 : 1
      response.writeHead(key === '' || keys.includes(key) ? 200 : 404, { etag: '"1"' }).end()
      return
    }
    asked.lists += 1
    const prefix = url.searchParams.get('prefix') ?? ''
    const after = url.searchParams.get('continuation-token') ?? url.searchParams.get('start-after') ?? ''
    const rest = keys.filter((key) => key.startsWith(prefix) && isBehind(key, after))
    const page = rest.slice(0, PAGE)
    const token = rest.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    const contents = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`).join('')
    const head = `<IsTruncated>${rest.length > PAGE}</IsTruncated>${token}`
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><ListBucketResult xmlns="s3">${head}${contents}</ListBucketResult>`)
  })
  return { ...store, asked, store: await openS3Store({ client: store.client, bucket: 'bucket', prefix: 'out' }) }
}

const isBehind = (key: string, other: string): boolean => Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0

test('missing records of a bucket are found by range listings, and each is looked up before its report', async () => {
  const names = [
    ...Array.from({ length: DOCUMENTS }, (_, n) => `f${n % 10}/${n}.pdf`),
    'f9/4.pdf',
    'f3/17.pdf',
    'ü/1.pdf',
  ]
  const objects = names
    .filter((name) => !LOST.includes(name))
    .flatMap((name) => [`out/documents/${name}/record.json`, `out/documents/${name}/commit/document.md`])
  await using at = await storeOf(objects)
  const ledger = new RedisLedger({ connection: redis.connection, pipeline: 'lost' })
  const done = { version: version('1'), recipeHash: recipeHash('0123456789abcdef'), outcome: 'done' } as const
  await ledger.write(names.map((name) => [sourceKey(name), done]))
  const before = at.asked.heads
  const lost = await collect(lostRecords({ ledger, store: at.store }, new AbortController().signal))
  expect(lost.map(([key]) => String(key)).toSorted()).toEqual(LOST.toSorted())
  expect(at.asked.heads - before).toBe(LOST.length)
  expect(at.asked.lists).toBeLessThan(objects.length / PAGE + 2 * 16)
  expect(at.asked.lists).toBeGreaterThan(4)
})

test('each pass over a large store reads another part, and all passes together cover all records', async () => {
  const store = new MemoryStore()
  const ledger = new RedisLedger({ connection: redis.connection, pipeline: 'turns' })
  const files = outputs({ 'document.md': 'text' })
  const keys = Array.from({ length: 40 }, (_, n) => `${n}.pdf`)
  for (const key of keys) {
    await store.documents.commit(recordOf(key, files, { version: version('earlier'), receipt: receiptOf(key) }), files)
    await store.receipts.save(receiptOf(key), Buffer.from('{}'), null)
  }
  const done = { version: version('later'), recipeHash: recipeHash('0123456789abcdef'), outcome: 'done' } as const
  await ledger.write(keys.map((key) => [sourceKey(key), done]))
  const signal = new AbortController().signal
  const found: string[] = []
  for (const turn of [20, 21, 22, 23]) {
    const lost = await collect(lostRecords({ ledger, store }, signal, { mostRead: 10, turn }))
    expect(lost.length).toBeLessThan(keys.length / 2)
    found.push(...lost.map(([key]) => String(key)))
  }
  expect(found.toSorted()).toEqual(keys.toSorted())
})
