import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSluice } from '../../support/sluice.ts'

/** The channels through which an operator learns that a dependency failed. */
export interface Channels {
  readonly running: RunningSluice
  readonly logFile: string
  readonly metricsPort: number
}

export interface Inspected {
  /** What the terminal and the log say of it. */
  readonly cause: RegExp
  /** A line of /metrics. */
  readonly metric: RegExp
}

/** Milliseconds from the call until the fault was visible in each channel; null where it was not seen in time. */
export interface SeenAfter {
  readonly terminal: number | null
  readonly log: number | null
  readonly metric: number | null
  readonly readiness: number | null
}

const POLL_MS = 50

/** Polls all four channels until the fault was seen in each, or `patienceMs` are over. */
export async function seenAfter(
  channels: Channels,
  { cause, metric }: Inspected,
  patienceMs = 60_000,
): Promise<SeenAfter> {
  const beganAt = performance.now()
  const saidBefore = channels.running.stderr().length
  const loggedBefore = (await readFile(channels.logFile, 'utf8').catch(() => '')).length
  const first = async (check: () => Promise<boolean>): Promise<number | null> => {
    for (;;) {
      if (await check()) return Math.round(performance.now() - beganAt)
      if (performance.now() - beganAt > patienceMs) return null
      await sleep(POLL_MS)
    }
  }
  const [terminal, log, metrics, readiness] = await Promise.all([
    first(async () => cause.test(channels.running.stderr().slice(saidBefore))),
    first(async () => cause.test((await readFile(channels.logFile, 'utf8').catch(() => '')).slice(loggedBefore))),
    first(async () => metric.test((await ask(channels.metricsPort, 'metrics')).body)),
    first(async () => {
      const { status, body } = await ask(channels.metricsPort, 'readyz')
      return status === 503 && cause.test(body)
    }),
  ])
  return { terminal, log, metric: metrics, readiness }
}

/** An answer of the metrics port; one that takes longer than a second counts as none. */
export async function ask(
  port: number,
  path: 'healthz' | 'metrics' | 'readyz',
): Promise<{ readonly status: number; readonly body: string; readonly tookMs: number }> {
  const beganAt = performance.now()
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(1_000) })
    const body = await answer.text()
    return { status: answer.status, body, tookMs: performance.now() - beganAt }
  } catch {
    return { status: 0, body: '', tookMs: performance.now() - beganAt }
  }
}
