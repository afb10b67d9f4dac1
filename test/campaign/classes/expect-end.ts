import { setTimeout as sleep } from 'node:timers/promises'
import type { Finished, RunningSluice } from '../../support/sluice.ts'
import type { FaultContext } from './fault-class.ts'

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
