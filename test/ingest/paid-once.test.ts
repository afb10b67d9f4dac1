import { afterAll, beforeAll, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import type { Delivery } from '#src/ports.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openWorkbench, type Workbench } from '../support/workbench.ts'

/* Law 2: an answer that reached us is never bought again. */

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const SIGNAL = new AbortController().signal

async function deliveryOf({ deps }: Workbench, name: string): Promise<Delivery> {
  const key = sourceKey(name)
  const opened = await deps.source.open(key, SIGNAL)
  if ('message' in opened) throw new Error(opened.message)
  await using document = opened
  const { version, bytes } = document
  const recipeHash = deps.recipeFor(key, 'csv').hash
  return { job: { schema: 1, key, version, recipeHash, bytes, queuedAt: Date.now() }, attempt: 1 }
}

test('a copy finds the receipt that came between its look for it and its turn to buy', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'the,same')
  await bench.write('copy of a.csv', 'the,same')
  const { intents } = bench.deps
  const lateIntents = {
    begin: async (...asked: Parameters<typeof intents.begin>) => {
      await bench.ingest('a.csv')
      return intents.begin(...asked)
    },
    clear: intents.clear.bind(intents),
  }
  const copy = await deliveryOf(bench, 'copy of a.csv')
  expect(await ingestDocument(copy, { ...bench.deps, intents: lateIntents }, SIGNAL)).toEqual({ do: 'finish' })
  expect(bench.service.charged).toBe(1)
  expect((await bench.deps.store.readRecord(sourceKey('copy of a.csv')))?.cost).toEqual({ credits: 0, basis: 'saved' })
})
