import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { receiptId, sourceKey, version } from '#src/document/ids.ts'
import type { RedisIntents } from '#src/ledger/redis-intents.ts'
import { letterOf } from '../../support/documents.ts'
import { startTestRedis } from '../../support/redis.ts'
import { parsedReply } from '../../support/scripted-service.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { withMethods } from '../../support/with-methods.ts'
import type { Documents } from '#src/ports/output-store.ts'
import { depsOf, ingestOnce, openWorkbench, type Workbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* A worker dies, or loses its hold, between the record and the end of the job: the document is delivered once more. */

const redis = await shared(startTestRedis())

const key = sourceKey('a.csv')

const recordOf = ({ deps }: Workbench) => deps.store.documents.read(key)

describe('a document delivered again', () => {
  test.each([
    ['with its receipt', {}],
    ['without one, under zero data retention', { options: { zeroDataRetention: true } }],
  ])('%s is neither bought nor committed again after its record exists', async (_, settings) => {
    await using bench = await openWorkbench({ redis, settings })
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const before = await recordOf(bench)
    expect(await bench.ingest('a.csv', 2)).toEqual({ kind: 'finish' })
    expect(before).toMatchObject({ attempts: 1 })
    expect(await recordOf(bench)).toEqual(before)
    expect(bench.service.requests).toHaveLength(1)
    expect(await bench.deps.ledger.counts()).toMatchObject({ done: 1, pending: 0 })
  })

  test('over a later version that another worker settled is made again for that version at no cost', async () => {
    await using bench = await openWorkbench({ redis })
    const { store, ledger } = bench.deps
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const [known = null] = await ledger.read([key])
    if (known === null) throw new Error('the ledger has no entry')
    const later = { ...known, version: version('later') }
    await bench.write('a.csv', 'b')
    const commit: Documents['commit'] = async (record, files) => {
      await store.documents.commit(record, files)
      await ledger.write([[key, later]])
    }
    const deps = { ...bench.deps, store: { ...store, documents: withMethods(store.documents, { commit }) } }
    expect(await ingestOnce(deps, 'a.csv', 1)).toMatchObject({ kind: 'postpone', counted: false })
    expect(await ledger.read([key])).toEqual([{ ...later, outcome: 'pending' }])
    expect(await bench.ingest('a.csv')).toEqual({ kind: 'finish' })
    expect(bench.service.requests).toHaveLength(2)
    expect(await ledger.counts()).toMatchObject({ done: 1, pending: 0 })
  })

  test('is counted once, with its pages and its credits, whichever worker had it first', async () => {
    await using bench = await openWorkbench({
      redis,
      answers: [parsedReply('# One', { metadata: { statusCode: 200, numPages: 3, creditsUsed: 7 } })],
    })
    const tally = tallyOf(bench.deps.events)
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const [entry] = await bench.deps.ledger.read([key])
    if (!entry) throw new Error('the ledger has no entry')
    const { version: done, recipeHash } = entry
    const job = { schema: 1, key, version: done, recipeHash, bytes: 1, queuedAt: Date.now() } as const
    for (const attempt of [1, 2]) {
      await ingestDocument({ job, attempt }, depsOf(bench.deps), new AbortController().signal)
    }
    expect([tally.settled.done, tally.worked, tally.pages, tally.credits.reported]).toEqual([1, 1, 3, 7])
    expect(await bench.deps.ledger.endedTotal()).toBe(1)
  })

  test('is counted once when a job of an earlier version follows that of the present one', async () => {
    await using bench = await openWorkbench({ redis })
    const tally = tallyOf(bench.deps.events)
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const [entry] = await bench.deps.ledger.read([key])
    if (!entry) throw new Error('the ledger has no entry')
    const job = {
      schema: 1,
      key,
      version: version('earlier'),
      recipeHash: entry.recipeHash,
      bytes: 1,
      queuedAt: Date.now(),
    } as const
    expect(await ingestDocument({ job, attempt: 1 }, depsOf(bench.deps), new AbortController().signal)).toEqual({
      kind: 'finish',
    })
    expect(tally.settled.done).toBe(1)
    expect(await bench.deps.ledger.read([key])).toEqual([entry])
  })

  test('by a job of an earlier version is in the ledger with its present parser before its release', async () => {
    await using bench = await openWorkbench({ redis })
    const { claims, ledger, view } = bench.deps
    view.role = { kind: 'lists', listed: null }
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const [done] = await ledger.read([key])
    if (!done) throw new Error('the ledger has no entry')
    const job = { schema: 1, key, version: version('earlier'), recipeHash: done.recipeHash, bytes: 1 } as const
    for (const known of [
      { ...done, isLocal: true },
      { ...done, version: job.version, outcome: 'pending' as const },
    ]) {
      await ledger.write([[key, known]])
      const atRelease: unknown[] = []
      const watched: typeof claims.claim = async (claimed) => {
        const claim = await claims.claim(claimed)
        const release = async (): Promise<void> => {
          atRelease.push((await ledger.read([key]))[0])
          await claim?.release()
        }
        return claim && withMethods(claim, { release })
      }
      const deps = { ...bench.deps, claims: { claim: watched } }
      await ingestDocument(
        { job: { ...job, queuedAt: Date.now() }, attempt: 1 },
        depsOf(deps),
        new AbortController().signal,
      )
      expect(atRelease[0]).toEqual(done)
    }
  })

  test('is committed again after a failure, a gone mark or a rewrite of its file', async () => {
    await using bench = await openWorkbench({ redis })
    const { store } = bench.deps
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')

    await store.deadLetters.bury(letterOf('a.csv'))
    await bench.ingest('a.csv', 2)
    expect([await store.deadLetters.read(key), (await recordOf(bench))?.attempts]).toEqual([null, 2])

    const record = await recordOf(bench)
    if (record === null) throw new Error('nothing was committed')
    const files = await Promise.all(
      record.files.map(
        async ({ name }) => [name, (await store.documents.readOutput(key, name)) ?? Buffer.alloc(0)] as const,
      ),
    )
    await store.documents.commit({ ...record, goneAt: '2026-01-01T00:00:00.000Z' }, new Map(files))
    await bench.ingest('a.csv', 3)
    expect([(await recordOf(bench))?.goneAt, (await recordOf(bench))?.attempts]).toEqual([undefined, 3])

    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv', 4)
    expect((await recordOf(bench))?.attempts).toBe(4)
    expect(bench.service.charged).toBe(1)
  })

  test('is not ambiguous when its receipt exists: the process died right after saving it', async () => {
    await using bench = await openWorkbench({ redis })
    await bench.write('a.csv', 'a')
    await bench.ingest('a.csv')
    const { receipt, contentHash, recipeHash } = (await recordOf(bench)) ?? {}
    if (!receipt || !contentHash || !recipeHash) throw new Error('nothing was kept')
    await rm(join(fileURLToPath(bench.deps.store.url), 'documents'), { recursive: true })
    const intents = bench.deps.intents as RedisIntents
    await intents.begin(receiptId(contentHash, recipeHash), key)

    expect(await bench.ingest('a.csv')).toEqual({ kind: 'finish' })
    expect(await intents.list()).toEqual([])
    expect(await intents.ambiguousTotal()).toBe(0)
    expect(bench.service.charged).toBe(1)
  })
})
