import { afterAll, beforeAll, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openWorkbench } from '../support/workbench.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const NOTE = '---\ntitle: Läufe\n---\r\n# Gate\n'

test('a text becomes its output without a request, with a receipt of its own class', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('Notes.MD', `\uFEFF${NOTE}`)
  await bench.ingest('Notes.MD')
  const { store, ledger } = bench.deps
  const key = sourceKey('Notes.MD')
  const record = await store.readRecord(key)
  expect(record).toMatchObject({
    outcome: 'done',
    parser: { class: 'passthrough' },
    cost: { credits: 0, basis: 'saved' },
  })
  expect((await store.readOutput(key, 'document.md'))?.toString()).toBe(NOTE)
  expect(record?.receipt).toMatch(/-passthrough$/)
  expect((await store.readReceipt(record?.receipt as never))?.parser).toEqual(record?.parser)
  expect(await ledger.counts()).toMatchObject({ done: 1, pending: 0 })
  expect(await ledger.localCount()).toBe(0)

  await bench.ingest('Notes.MD')
  expect(await store.readRecord(key)).toEqual(record)
  await bench.write('Notes.MD', 'two')
  await bench.ingest('Notes.MD')
  expect((await store.readOutput(key, 'document.md'))?.toString()).toBe('two')
  expect(bench.service.requests).toEqual([])
})

test('a text of many megabytes is passed through whole, and its receipt is not kept with zero data retention', async () => {
  await using bench = await openWorkbench({ redis, settings: { options: { zeroDataRetention: true } } })
  const text = 'Zeile für Zeile\n'.repeat(200_000)
  await bench.write('log.txt', text)
  await bench.ingest('log.txt')
  const key = sourceKey('log.txt')
  expect((await bench.deps.store.readOutput(key, 'document.md'))?.toString()).toBe(text)
  expect(await bench.deps.store.readRecord(key)).toMatchObject({ outcome: 'done', receipt: null })
})
