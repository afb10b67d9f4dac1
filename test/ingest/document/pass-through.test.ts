import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { handlingOf } from '#src/ingest/document/preflight.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { startTestRedis } from '../../support/redis.ts'
import { depsOf, openWorkbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

const redis = await shared(startTestRedis())

const NOTE = '---\ntitle: Läufe\n---\r\n# Gate\n'

test('a text becomes its output without a request, with its own class of receipt', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('Notes.MD', `\uFEFF${NOTE}`)
  await bench.ingest('Notes.MD')
  const { store, ledger } = bench.deps
  const key = sourceKey('Notes.MD')
  const record = await store.documents.read(key)
  expect(record).toMatchObject({
    outcome: 'done',
    parser: { class: 'passthrough' },
    cost: { credits: 0, basis: 'saved' },
  })
  expect((await store.documents.readOutput(key, 'document.md'))?.toString()).toBe(NOTE)
  expect(record?.receipt).toMatch(/-passthrough$/)
  expect((await store.receipts.read(record?.receipt as never))?.parser).toEqual(record?.parser)
  expect(await ledger.counts()).toMatchObject({ done: 1, pending: 0 })
  expect(await ledger.localCount()).toBe(0)

  await bench.ingest('Notes.MD')
  expect(await store.documents.read(key)).toEqual(record)
  await bench.write('Notes.MD', 'two')
  await bench.ingest('Notes.MD')
  expect((await store.documents.readOutput(key, 'document.md'))?.toString()).toBe('two')
  expect(bench.service.requests).toEqual([])
})

test('a text of many megabytes is passed through completely, without a receipt under zero data retention', async () => {
  await using bench = await openWorkbench({ redis, settings: { options: { zeroDataRetention: true } } })
  const text = 'Zeile für Zeile\n'.repeat(200_000)
  await bench.write('log.txt', text)
  await bench.ingest('log.txt')
  const key = sourceKey('log.txt')
  expect((await bench.deps.store.documents.readOutput(key, 'document.md'))?.toString()).toBe(text)
  expect(await bench.deps.store.documents.read(key)).toMatchObject({ outcome: 'done', receipt: null })
})

test('a queued text that is no longer passed through counts as skipped, without a dead letter', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('notes.md', '# One')
  const { ledger, store, source } = bench.deps
  const [key, signal] = [sourceKey('notes.md'), new AbortController().signal]
  const opened = await source.open(key, signal)
  if ('message' in opened) throw new Error(opened.message)
  const { version, bytes } = opened
  await opened[Symbol.asyncDispose]()
  const recipeHash = handlingOf(key, bench.deps)?.recipe.hash ?? ('' as never)
  const deps = { ...bench.deps, textRecipeFor: () => null }
  await ledger.write([[key, { version, recipeHash, outcome: 'pending' }]])
  const job = { schema: 1, key, version, recipeHash, bytes, queuedAt: Date.now() } as const
  await ingestDocument({ job, attempt: 1 }, depsOf(deps), signal)
  expect(await ledger.counts()).toMatchObject({ pending: 0, skipped: 1, failed: 0 })
  expect([await store.deadLetters.read(key), await store.documents.read(key)]).toEqual([null, null])
})
