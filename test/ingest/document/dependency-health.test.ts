import { describe, expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { Events } from '#src/events.ts'
import type { Run } from '#src/ingest/document/deps.ts'
import { DependencyHealth } from '#src/ingest/document/dependency-health.ts'
import { postponeDuringOutage } from '#src/ingest/document/retrying-store.ts'
import { FINISH } from '#src/ingest/document/purchase.ts'

/* Law 1: an outage of source or store loses no document, and a broken object is not retried for ever. */

const ONE = sourceKey('one')
const ANOTHER = sourceKey('another')

describe('a document that fails on source or store', () => {
  test('is itself the cause when another document succeeded since', () => {
    let now = 0
    const dependencyHealth = new DependencyHealth(() => now)
    expect(dependencyHealth.recordFailure(ONE, 0)).toBe(0)
    now = 40
    expect(dependencyHealth.recordFailure(ANOTHER, 30)).toBe(40)
    dependencyHealth.recordSuccess(sourceKey('a third'))
    now = 50
    expect(dependencyHealth.recordFailure(ANOTHER, 45)).toBeNull()
    expect(dependencyHealth.recordFailure(ANOTHER, 45)).toBe(0)
    // One at a time: no other document was in flight during its attempts, but one was between them.
    expect(dependencyHealth.recordFailure(ONE, 48)).toBeNull()
  })
})

describe('a document whose source is unavailable', () => {
  const away = new SourceUnusable('Sluice cannot read "a.csv" in s3://in: the store answered SlowDown (503).')
  const fails = (): Promise<never> => Promise.reject(away)

  function harness(signal = new AbortController().signal) {
    let now = 0
    const halts: string[] = []
    const failed: unknown[] = []
    const events = new Events()
    events.on('stage:failed', ({ error }) => failed.push(error))
    const dependencyHealth = new DependencyHealth(() => now)
    const halt: Run['halt'] = (_, message) => halts.push(message)
    const deps = { run: { dependencyHealth, events, halt }, policy: { storePatienceMs: 1_000 } }
    return {
      halts,
      failed,
      after: (ms: number) => (now += ms),
      deliver: (work: () => Promise<typeof FINISH>) => postponeDuringOutage(sourceKey('a.csv'), work, deps, signal),
    }
  }

  test('is postponed without using an attempt, and halts the batch after the patience', async () => {
    const { deliver, after, failed, halts } = harness()
    for (const ms of [0, 600, 400]) {
      after(ms)
      expect(await deliver(fails)).toMatchObject({ kind: 'postpone', counted: false, reason: away.message })
    }
    expect([failed.length, halts]).toEqual([3, []])
    after(1)
    await deliver(fails)
    expect(halts).toEqual([away.message])
  })

  test('restarts its patience after another document succeeds', async () => {
    const { deliver, after, halts } = harness()
    await deliver(fails)
    after(900)
    expect(await deliver(async () => FINISH)).toEqual(FINISH)
    after(900)
    await deliver(fails)
    expect(halts).toEqual([])
  })

  test('rejects with the original error when the worker is aborted or the error has another cause', async () => {
    await expect(harness(AbortSignal.abort()).deliver(fails)).rejects.toBe(away)
    const fault = new Error('a fault of ours')
    const { deliver, failed } = harness()
    await expect(deliver(() => Promise.reject(fault))).rejects.toBe(fault)
    expect(failed).toEqual([])
  })
})
