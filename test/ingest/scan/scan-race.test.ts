import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { ingestDocument } from '#src/ingest/ingest-document.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { startTestRedis } from '../../support/redis.ts'
import { scanOf, depsOf, openWorkbench } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/* A scan reads the ledger, compares its documents and writes: meanwhile workers, and other scans, go on. */

const redis = await shared(startTestRedis())

const SIGNAL = new AbortController().signal

test('a document settled between read and write of a scan stays done, and is counted once', async () => {
  await using bench = await openWorkbench({ redis })
  const { deps } = bench
  const key = sourceKey('a.csv')
  await bench.write('a.csv', 'a')
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: `scan-race-${process.pid}` })
  try {
    await scanSource(
      scanOf({ ...deps, queue, backlogLimit: 100, checksum: false, removeGone: false, isOutdated: () => false }),
      SIGNAL,
    )
    const [pending] = await deps.ledger.read([key])
    if (!pending) throw new Error('the ledger has no entry')
    const job = { schema: 1, key, ...pending, bytes: 1, queuedAt: Date.now() } as const
    const tally = tallyOf(deps.events)
    // Redis knows the script then, so that what is sent first is carried out first.
    await deps.ledger.settle(sourceKey('b.csv'), pending)
    const endings: Promise<unknown>[] = []
    // The recipe is asked for between the reading of the ledger and the writing.
    const source = {
      ...deps,
      recipeFor: (...of: Parameters<typeof deps.recipeFor>) => {
        if (endings.length === 0) endings.push(deps.ledger.settle(key, { ...pending, outcome: 'done' }))
        return deps.recipeFor(...of)
      },
    }
    await queue.clear()
    const { enqueued } = await scanSource(
      scanOf({ ...source, queue, backlogLimit: 100, checksum: false, removeGone: false, isOutdated: () => false }),
      SIGNAL,
    )
    expect(await Promise.all(endings)).toEqual(['ended'])
    expect(await deps.ledger.read([key])).toEqual([{ ...pending, outcome: 'done' }])
    expect([enqueued, await queue.backlog(), await deps.ledger.endedTotal()]).toEqual([0, 0, 1])
    expect(tally.changes).toMatchObject({ pending: 0, unchanged: 1 })

    // Delivered all the same, by a job that another scan had added: it is done, and not counted again.
    await ingestDocument({ job, attempt: 1 }, depsOf(deps), SIGNAL)
    expect([tally.settled.done, await deps.ledger.endedTotal()]).toEqual([0, 1])
  } finally {
    await queue.clear()
    await queue[Symbol.asyncDispose]()
  }
})

test('a document that an earlier run left pending is not reported as enqueued again', async () => {
  await using bench = await openWorkbench({ redis })
  const { deps } = bench
  await using queue = new DocumentQueue({ connection: redis.connection, pipeline: `scan-pending-${process.pid}` })
  const scan = { ...deps, queue, backlogLimit: 100, checksum: false, removeGone: false, isOutdated: () => false }
  const reported: string[] = []
  deps.events.on('document:enqueued', ({ key }) => reported.push(key))
  await bench.write('a.csv', 'a')
  await scanSource(scanOf(scan), SIGNAL)
  await bench.write('b.csv', 'b')
  const { enqueued } = await scanSource(scanOf(scan), SIGNAL)
  expect([enqueued, await queue.backlog(), reported]).toEqual([2, 2, ['a.csv', 'b.csv']])
  await queue.clear()
})

test('a document left pending by an earlier run and refused by a scan counts as settled in this run', async () => {
  await using bench = await openWorkbench({ redis })
  const { deps } = bench
  const queue = new DocumentQueue({ connection: redis.connection, pipeline: `scan-refusal-${process.pid}` })
  const scan = { ...deps, queue, backlogLimit: 100, checksum: false, removeGone: false, isOutdated: () => false }
  try {
    await bench.write('a.csv', 'a')
    await scanSource(scanOf(scan), SIGNAL)
    const before = await deps.ledger.endedTotal()
    await bench.write('a.csv', '')
    const tally = tallyOf(deps.events)
    await scanSource(scanOf(scan), SIGNAL)
    expect([tally.settled.failed, tally.worked, tally.refusedPending]).toEqual([1, 0, 1])
    expect((await deps.ledger.endedTotal()) - before).toBe(1)
    await scanSource(scanOf(scan), SIGNAL)
    expect([tally.settled.failed, tally.refusedPending]).toEqual([1, 1])
  } finally {
    await queue.clear()
    await queue[Symbol.asyncDispose]()
  }
})
