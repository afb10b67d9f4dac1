import { setTimeout as sleep } from 'node:timers/promises'

/** What a machine that others keep busy may take for anything: a test must not fail for it. */
const MIN_PATIENCE_MS = 60_000

/** Polls until `condition` holds; throws with `what` after `withinMs`, but not before a busy machine had the time for it. */
export async function until(
  what: string,
  withinMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const patienceMs = Math.max(withinMs, MIN_PATIENCE_MS)
  const deadline = Date.now() + patienceMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`)
    await sleep(20)
  }
}

/**
 * Lets time pass where time is the subject: a lease or an outage lasts so long, nothing may happen meanwhile, samples are
 * so far apart. `_why` says which. A test that waits for something to happen uses `until`.
 */
export async function elapse(ms: number, _why: string): Promise<void> {
  await sleep(ms)
}

/** Work that takes so long, of what stands in for a service, a store or a handler. */
export async function takes(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal })
}

/** Acts after so long unless it is disposed of before: the deadline of a process, a fault at a given time. */
export function after(ms: number, act: () => void): Disposable {
  const timer = setTimeout(act, ms)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
