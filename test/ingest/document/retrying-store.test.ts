import { ClaimLost } from '#src/document/claim-lost.ts'
import { sourceKey } from '#src/document/ids.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { withMethods } from '../../support/with-methods.ts'
import { Events } from '#src/events.ts'
import { ClaimedDocuments, claimedStores, retryFor } from '#src/ingest/document/retrying-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { expect, test } from 'vitest'
import { letterOf, outputs, receiptOf, recordOf } from '../../support/documents.ts'
import { MemoryStore } from '../../support/memory-store.ts'

const FILES = outputs({ 'document.md': 'text' })
const RECORD = recordOf('a.pdf', FILES)
const PATIENCE_MS = 60_000
const CLAIM = { epoch: 1, number: 1 }
const HELD = { number: CLAIM, stillHeld: async () => true, release: async () => undefined }

/** A store on a full disk, which has space again after so many refused writes. */
function fullFor(refusals: number): { real: MemoryStore; store: OutputStore; asked: () => number } {
  const real = new MemoryStore()
  let asked = 0
  const unlessFull = async (write: () => Promise<void>): Promise<void> => {
    asked += 1
    if (asked <= refusals) throw new StoreUnusable('the disk is full')
    await write()
  }
  const { receipts, documents, deadLetters } = real
  const store: OutputStore = {
    ...(real as OutputStore),
    receipts: withMethods(receipts, {
      save: (id, body, parser) => unlessFull(() => receipts.save(id, body, parser)),
    }),
    documents: withMethods(documents, {
      commit: (record, files) => unlessFull(() => documents.commit(record, files)),
    }),
    deadLetters: withMethods(deadLetters, { bury: (letter) => unlessFull(() => deadLetters.bury(letter)) }),
  }
  return { real, store, asked: () => asked }
}

/** The decorated store, in a time that passes only while it waits. */
function waiting(store: OutputStore, { claim = HELD, signal = new AbortController().signal } = {}) {
  let now = 0
  const events = new Events()
  const failures: unknown[] = []
  const halts: string[] = []
  events.on('stage:failed', ({ error }) => failures.push(error))
  const clock = {
    wall: () => now,
    monotonic: () => now,
    shared: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const halt = (_: unknown, message: string): unknown => halts.push(message)
  const stopping = new AbortController().signal
  const deps = {
    run: { events, clock, halt, stopping },
    policy: { storePatienceMs: PATIENCE_MS, storeSlowMs: 10_000 },
  }
  return {
    store: claimedStores(store, claim, retryFor(sourceKey('a.pdf'), deps, signal)),
    failures,
    halts,
    now: () => now,
  }
}

test.each([
  ['a receipt', (store: OutputStore) => store.receipts.save(receiptOf('one'), Buffer.from('{}'), null)],
  ['a commit', (store: OutputStore) => store.documents.commit(RECORD, FILES)],
  ['a dead letter', (store: OutputStore) => store.deadLetters.bury(letterOf('a.pdf'))],
])('the write of %s is repeated until the store has space', async (_, write) => {
  const { store, asked } = fullFor(3)
  const retrying = waiting(store)
  await write(retrying.store)
  expect(asked()).toBe(4)
  expect(retrying.failures).toHaveLength(3)
  expect(retrying.halts).toEqual([])
})

test('a store that stays full for longer than the patience halts the batch, and the write fails', async () => {
  const retrying = waiting(fullFor(Infinity).store)
  await expect(retrying.store.documents.commit(RECORD, FILES)).rejects.toThrow('the disk is full')
  expect(retrying.halts).toEqual(['the output store cannot be written: the disk is full'])
  expect(retrying.now()).toBeGreaterThan(PATIENCE_MS)
})

test('the retrying store writes once for an aborted document', async () => {
  const { store, asked } = fullFor(Infinity)
  const retrying = waiting(store, { signal: AbortSignal.abort() })
  await expect(retrying.store.deadLetters.bury(letterOf('a.pdf'))).rejects.toThrow('the disk is full')
  expect([asked(), retrying.now(), retrying.halts]).toEqual([1, 0, []])
})

test('a claim lost while the store is full ends the commit without a write or a store failure', async () => {
  const { real, store, asked } = fullFor(2)
  let checks = 0
  const claim = { number: CLAIM, stillHeld: async () => (checks += 1) < 3, release: async () => undefined }
  const retrying = waiting(store, { claim })
  await expect(retrying.store.documents.commit(RECORD, FILES)).rejects.toBeInstanceOf(ClaimLost)
  expect([asked(), checks, retrying.failures.length]).toEqual([2, 3, 2])
  expect(await real.documents.read(RECORD.key)).toBeNull()
})

test('the claim holder replaces a record of a later claim that a restored copy of the store contains', async () => {
  const store = new MemoryStore()
  await store.documents.commit({ ...RECORD, claim: { epoch: 3, number: 9 } }, FILES)
  await new ClaimedDocuments(store.documents, HELD, (write) => write()).commit({ ...RECORD, attempts: 2 }, FILES)
  expect(await store.documents.read(RECORD.key)).toMatchObject({ attempts: 2, claim: { epoch: 3, number: 10 } })
})

test('store calls that write no document pass through the decorators unchanged', async () => {
  const { real, store } = fullFor(0)
  const retrying = waiting(store)
  await retrying.store.receipts.save(receiptOf('one'), Buffer.from('{}'), null)
  expect((await retrying.store.receipts.read(receiptOf('one')))?.body.toString()).toBe('{}')
  expect([retrying.store.url, retrying.store.feed]).toEqual([real.url, real.feed])
})
