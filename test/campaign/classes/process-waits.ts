import { setTimeout as sleep } from 'node:timers/promises'
import type { Finished, RunningSluice } from '../../support/sluice.ts'
import type { FaultContext } from './fault-class.ts'

/** Often enough for a fault to come between two requests. */
const POLL_MS = 5

/** What a check finds while the process lives; null when it ended, or did not come to that in time. */
export async function appears<T>(
  { child }: RunningSluice,
  withinMs: number,
  check: () => T | null | Promise<T | null>,
): Promise<T | null> {
  const until = performance.now() + withinMs
  while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
    const found = await check()
    if (found !== null) return found
    await sleep(POLL_MS)
  }
  return null
}

/** Waits until a process has sent so many requests, as long as it lives. */
export async function sends(
  { service }: FaultContext,
  running: RunningSluice,
  requests: number,
  withinMs: number,
): Promise<void> {
  await appears(running, withinMs, () => service.sentBy(running.child.pid ?? 0) >= requests || null)
}

/** Tells a process to stop within `withinMs`, in the midst of a fault. True when it did. */
export async function stopWithin(context: FaultContext, withinMs: number, victim?: RunningSluice): Promise<boolean> {
  const { processes, random, note } = context
  await sleep(random.below(withinMs))
  const running = victim ?? processes.living[0]
  if (running === undefined || !processes.living.includes(running)) return false
  note(`SIGTERM to ${running.child.pid} meanwhile`)
  await context.terminate(running)
  return true
}

export const STOPPED_SHARE = 0.4

/** The same in some runs. */
export async function perhapsStop(context: FaultContext, withinMs: number, victim?: RunningSluice): Promise<boolean> {
  return context.random.next() < STOPPED_SHARE && stopWithin(context, withinMs, victim)
}

/** A run starts, finds the lease of the process before it expired, and does what it had: on a busy machine. */
const MAX_MS = 8_000

/** Another run takes over from processes that count as dead; waits for its end, or for as long as it mostly takes. */
export async function othersTakeOver({ processes }: FaultContext): Promise<void> {
  const other = processes.start('run')
  await Promise.race([other.finished, sleep(MAX_MS, undefined, { ref: false })])
}

/** What a process that meets a lasting fault may take until it has ended, on a busy machine. */
const END_MS = 120_000

export interface ExpectedEnd {
  /** Names the process in what is said of it. */
  readonly what: string
  readonly codes: readonly number[]
  /** Told to stop: before it listens for that, the signal itself ends it. */
  readonly wasStopped?: boolean
  /** With this code it has to say that. */
  readonly ifCode?: number
  readonly says?: RegExp
}

/** Waits for the end of a process, and says what is wrong with it. One that does not end is killed. */
export async function expectEnd(
  context: FaultContext,
  running: RunningSluice,
  expected: ExpectedEnd,
): Promise<Finished | null> {
  const { breaches } = context
  const { what, codes, wasStopped = false, ifCode, says } = expected
  const end = await Promise.race([running.finished, sleep(END_MS, null, { ref: false })])
  if (end === null) {
    breaches.endless.push(`${what} did not end within ${END_MS / 1000} s: ${running.stderr()}`)
    running.child.kill('SIGKILL')
    await running.finished
    return null
  }
  const { code, signal, stdout, stderr } = end
  if (wasStopped && signal !== null) return end
  if (code === null || !codes.includes(code)) {
    breaches.unexplained.push(`${what} exits with ${code}, not ${codes.join(' or ')}: ${stdout}${stderr}`)
  } else if (code === ifCode && says !== undefined && !says.test(stdout + stderr)) {
    breaches.unexplained.push(`${what} does not say ${String(says)}: ${stdout}${stderr}`)
  }
  return end
}
