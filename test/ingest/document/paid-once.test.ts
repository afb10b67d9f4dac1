import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import type { ServiceGate } from '#workers/service/service-gate.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import { FolderSpool, SpooledReceipts } from '#src/outputs/answer-spool.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { Gate } from '#src/ports/gate.ts'
import type { Delivery } from '#src/ports/queue.ts'
import { errorReply } from '../../support/scripted-service.ts'
import { startTestRedis } from '../../support/redis.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { depsOf, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { withMethods } from '../../support/with-methods.ts'
import { takes } from '../../support/wait.ts'
import { shared } from '../../support/shared.ts'

/* Law 2: an answer that reached us is never bought again. */

const redis = await shared(startTestRedis())

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

test('a copy finds a receipt saved between its lookup and its turn to buy', async () => {
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
    conclude: intents.conclude.bind(intents),
    release: intents.release.bind(intents),
    isValid: intents.isValid.bind(intents),
  }
  const copy = await deliveryOf(bench, 'copy of a.csv')
  expect(await ingestDocument(copy, depsOf({ ...bench.deps, intents: lateIntents }), SIGNAL)).toEqual({
    kind: 'finish',
  })
  expect(bench.service.charged).toBe(1)
  expect((await bench.deps.store.documents.read(sourceKey('copy of a.csv')))?.cost).toEqual({
    credits: 0,
    basis: 'saved',
  })
})

/** A port, with something done before each call of one method. */
function before<P extends object>(method: keyof P, port: P, act: () => Promise<void>): P {
  const real = (port[method] as (...asked: unknown[]) => unknown).bind(port)
  const delayed = async (...asked: unknown[]): Promise<unknown> => {
    await act()
    return real(...asked)
  }
  return withMethods(port, { [method]: delayed } as Partial<P>)
}

test('a document keeps its claim while its receipt is written, even when the gate is unreachable', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'slowly,kept')
  const { gate, store } = bench.deps
  const cutOff: Gate = {
    acquire: async (...asked) => {
      const permit = await gate.acquire(...asked)
      const release = () => Promise.reject(new Error('Connection is closed.'))
      return permit.kind === 'permit' ? { ...permit, release } : permit
    },
  }
  const slowStore = { ...store, receipts: before('save', store.receipts, () => takes(200)) }
  const delivery = await deliveryOf(bench, 'a.csv')
  const first = ingestDocument(delivery, depsOf({ ...bench.deps, gate: cutOff, store: slowStore }), SIGNAL)
  await expect(first).rejects.toThrow('Connection is closed.')
  expect(await ingestDocument(delivery, depsOf(bench.deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect(bench.service.charged).toBe(1)
})

test('an aborted worker on a full disk tries once more to save the answer', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'nearly,dropped')
  const cut = new AbortController()
  let tries = 0
  const { store } = bench.deps
  const receipts = before('save', store.receipts, async () => {
    tries += 1
    if (tries > 1) return
    cut.abort(new Error('cut'))
    throw new StoreUnusable('the disk is full')
  })
  const delivery = await deliveryOf(bench, 'a.csv')
  await ingestDocument(delivery, depsOf({ ...bench.deps, store: { ...store, receipts } }), cut.signal).catch(
    () => undefined,
  )
  expect(await ingestDocument(delivery, depsOf(bench.deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect([tries, bench.service.charged]).toEqual([2, 1])
})

test('a request aborted after it was sent is ambiguous, and one aborted at the gate is not', async () => {
  await using bench = await openWorkbench({ redis, answers: [{ fault: 'hang' }] })
  await bench.write('a.csv', 'a')
  const delivery = await deliveryOf(bench, 'a.csv')
  const intents = bench.deps.intents as RedisIntents
  const shut: Gate = { acquire: () => Promise.reject(new Error('cut')) }
  await expect(ingestDocument(delivery, depsOf({ ...bench.deps, gate: shut }), SIGNAL)).rejects.toThrow('cut')
  expect(await intents.list()).toEqual([])
  const cut = AbortSignal.timeout(300)
  await expect(ingestDocument(delivery, depsOf(bench.deps), cut)).rejects.toThrow('aborted')
  expect(await ingestDocument(delivery, depsOf(bench.deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect(await intents.ambiguousTotal()).toBe(1)
})

test('a document waiting at the gate has no ambiguous request, and a copy keeps the intent of the first', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'waits')
  const { deps } = bench
  const begun: string[] = []
  const watched = {
    begin: async (...asked: Parameters<typeof deps.intents.begin>) => {
      begun.push(asked[1])
      return deps.intents.begin(...asked)
    },
    clear: async (...asked: Parameters<typeof deps.intents.clear>) => {
      begun.length = 0
      return deps.intents.clear(...asked)
    },
    conclude: deps.intents.conclude.bind(deps.intents),
    release: deps.intents.release.bind(deps.intents),
    isValid: deps.intents.isValid.bind(deps.intents),
  }
  const shut: Gate = { acquire: async () => ({ kind: 'wait', waitMs: 5, reason: 'shut' }) }
  const job = await deliveryOf(bench, 'a.csv')
  const waits = await ingestDocument(job, depsOf({ ...deps, intents: watched, gate: shut }), SIGNAL)
  expect(waits).toMatchObject({ kind: 'postpone', counted: false })
  expect(begun).toEqual([])

  const taken = { ...watched, begin: async () => 'busy' as const }
  begun.push('of another')
  expect(await ingestDocument(job, depsOf({ ...deps, intents: taken }), SIGNAL)).toMatchObject({ kind: 'postpone' })
  expect(begun).toEqual(['of another'])
  expect(bench.service.charged).toBe(0)
})

test('a failed store read right before the request releases the permit and the intent', async () => {
  await using bench = await openWorkbench({ redis })
  await bench.write('a.csv', 'not,sent')
  const { gate, intents, store } = bench.deps
  let searches = 0
  const receipts = before('read', store.receipts, async () => {
    searches += 1
    if (searches === 2) throw new StoreUnusable('Sluice cannot read a receipt: the store answered SlowDown (503).')
  })
  const delivery = await deliveryOf(bench, 'a.csv')
  const first = await ingestDocument(delivery, depsOf({ ...bench.deps, store: { ...store, receipts } }), SIGNAL)
  expect(first).toMatchObject({ kind: 'postpone', counted: false })
  expect(await (intents as RedisIntents).list()).toEqual([])
  expect(await (gate as ServiceGate).limiter.snapshot()).toMatchObject({ inFlight: 0 })
  expect(await ingestDocument(delivery, depsOf({ ...bench.deps, store: { ...store, receipts } }), SIGNAL)).toEqual({
    kind: 'finish',
  })
  expect([await (intents as RedisIntents).ambiguousTotal(), bench.service.charged]).toEqual([0, 1])
})

test('a refusal during a store outage releases the permit and the intent', async () => {
  await using bench = await openWorkbench({ redis, answers: () => errorReply(422, 'cannot be read') })
  await bench.write('a.csv', 'the,bytes')
  const { store, gate, intents } = bench.deps
  let isAway = true
  const documents = before('read', store.documents, async () => {
    if (isAway && bench.service.requests.length > 0) throw new StoreUnusable('the store went away')
  })
  const delivery = await deliveryOf(bench, 'a.csv')
  const first = await ingestDocument(delivery, depsOf({ ...bench.deps, store: { ...store, documents } }), SIGNAL)
  expect(first).toMatchObject({ kind: 'postpone', counted: false })
  expect(await (gate as ServiceGate).limiter.snapshot()).toMatchObject({ inFlight: 0 })
  expect(await (intents as RedisIntents).list()).toEqual([])
  isAway = false
  expect(await ingestDocument(delivery, depsOf({ ...bench.deps, store: { ...store, documents } }), SIGNAL)).toEqual({
    kind: 'finish',
  })
  expect(await (intents as RedisIntents).ambiguousTotal()).toBe(0)
})

test('a process paused between receipt lookup and request repeats the lookup before it sends', async () => {
  const leaseMs = 600
  await using bench = await openWorkbench({ redis, leaseMs })
  await bench.write('frozen.csv', 'stood,still')
  const { store, intents } = bench.deps
  // The search right before the request is the first one after `begin`.
  let isLast = false
  const receipts = withMethods(store.receipts, {
    read: async (id) => {
      const found = await store.receipts.read(id)
      // Longer than the lease, as under SIGSTOP: nothing of this process runs meanwhile.
      if (isLast) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs)
      isLast = false
      return found
    },
  })
  const watched = withMethods(intents, {
    begin: async (id, key) => {
      const beginning = await intents.begin(id, key)
      isLast = true
      return beginning
    },
  })
  const delivery = await deliveryOf(bench, 'frozen.csv')
  const verdict = await ingestDocument(
    delivery,
    depsOf({ ...bench.deps, store: { ...store, receipts }, intents: watched }),
    SIGNAL,
  )
  expect(verdict).toMatchObject({ kind: 'postpone', counted: false })
  expect(bench.service.requests).toEqual([])
  expect(await ingestDocument(delivery, depsOf(bench.deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect(bench.service.charged).toBe(1)
})

test('a process paused between its intent and the first byte sends nothing', async () => {
  const leaseMs = 600
  await using bench = await openWorkbench({ redis, leaseMs })
  await bench.write('frozen.csv', 'stood,still')
  const { deps } = bench
  const reported: string[] = []
  for (const name of ['request:begun', 'request:sent', 'request:withdrawn'] as const) {
    deps.events.on(name, () => reported.push(name))
  }
  const frozen = {
    service: '',
    ready: async () => null,
    parse: (...asked: Parameters<typeof deps.parser.parse>) => {
      const verdict = deps.parser.parse(...asked)
      // The document is being read and nothing is connected yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs)
      return verdict
    },
  }
  const delivery = await deliveryOf(bench, 'frozen.csv')
  const verdict = await ingestDocument(delivery, depsOf({ ...deps, parser: frozen }), SIGNAL)
  expect(verdict).toMatchObject({ kind: 'postpone', counted: false })
  expect([bench.service.requests.length, ...reported]).toEqual([0, 'request:begun', 'request:withdrawn'])
  expect([
    await (deps.intents as RedisIntents).list(),
    (await (deps.gate as ServiceGate).limiter.snapshot()).inFlight,
  ]).toEqual([[], 0])
  expect(await ingestDocument(delivery, depsOf(deps), SIGNAL)).toEqual({ kind: 'finish' })
  expect([bench.service.charged, await (deps.intents as RedisIntents).ambiguousTotal()]).toEqual([1, 0])
})

test('an answer spooled by one process is taken up by another running process on its machine', async () => {
  await using bench = await openWorkbench({ redis })
  await using folder = await tempFolder()
  await bench.write('a.csv', 'to be,spooled')
  const { store } = bench.deps
  const [stopping, other] = [1, 2].map(() => new FolderSpool(folder.path, store.url)) as [FolderSpool, FolderSpool]
  expect(await other.ids()).toEqual([])
  const refusing = before('save', store.receipts, () => Promise.reject(new StoreUnusable('the disk is full')))
  const delivery = await deliveryOf(bench, 'a.csv')
  const stopped = {
    ...bench.deps,
    store: { ...store, receipts: new SpooledReceipts(refusing, stopping) },
    spool: stopping,
    storePatienceMs: 0,
  }
  expect((await ingestDocument(delivery, depsOf(stopped), SIGNAL)).kind).toBe('postpone')
  expect([bench.service.charged, (await other.ids()).length]).toEqual([1, 1])

  const goesOn = {
    ...bench.deps,
    store: { ...store, receipts: new SpooledReceipts(store.receipts, other) },
    spool: other,
  }
  expect(await ingestDocument(delivery, depsOf(goesOn), SIGNAL)).toEqual({ kind: 'finish' })
  expect(bench.service.charged).toBe(1)
  expect(await stopping.ids()).toEqual([])
})
