import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunningSluice } from '../../support/sluice.ts'

interface Channels {
  readonly running: RunningSluice
  readonly log: string
  readonly metricsPort: number
}

const POLL_MS = 50
const PATIENCE_MS = 60_000

/**
 * Polls the channels through which an operator learns that a dependency failed, and expects to see the fault in each:
 * `cause` on the terminal, in the log and in readiness, `metric` as a line of /metrics.
 */
export async function expectSeen(
  { running, log, metricsPort }: Channels,
  cause: RegExp,
  metric: RegExp,
): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  const logged = (): Promise<string> => readFile(log, 'utf8').catch(() => '')
  const before = { terminal: running.stderr().length, log: (await logged()).length }
  const channels = {
    terminal: async () => cause.test(running.stderr().slice(before.terminal)),
    log: async () => cause.test((await logged()).slice(before.log)),
    metric: async () => metric.test((await ask(metricsPort, 'metrics')).body),
    readiness: async () => {
      const { status, body } = await ask(metricsPort, 'readyz')
      return status === 503 && cause.test(body)
    },
  }
  const unseen = await Promise.all(
    Object.entries(channels).map(async ([name, isSeen]) => {
      for (; performance.now() < until; await sleep(POLL_MS)) if (await isSeen()) return []
      return [name]
    }),
  )
  expect(unseen.flat(), `unseen: ${cause}`).toEqual([])
}

/** An answer of the metrics port; one that takes longer than a second counts as none. */
export async function ask(
  port: number,
  path: 'healthz' | 'metrics' | 'readyz',
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(1_000) })
    return { status: answer.status, body: await answer.text() }
  } catch {
    return { status: 0, body: '' }
  }
}
