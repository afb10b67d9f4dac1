import { readFile } from 'node:fs/promises'
import type { Charge } from '../service/charges.ts'

/** A process that was killed, stopped, frozen, cut off from Redis or left without a processor, and for how long. */
export interface Interruption {
  readonly process: number
  /** Epoch milliseconds. */
  readonly from: number
  /** Until it could go on; for a process that ended, until it had ended. */
  until: number
  readonly ended: boolean
  /** Units of charges whose answers were kept when it was interrupted: for one that was killed, after it had ended. */
  readonly kept: ReadonlySet<string>
}

/** What a process writes of its own stalls (`preloads/report-process.ts`). */
export async function readStalls(path: string): Promise<readonly Interruption[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [process, from, until] = line.split(' ').map(Number)
    if (process === undefined || from === undefined || until === undefined) return []
    return [{ process, from, until: until + WAKING_MS, ended: false, kept: new Set<string>() }]
  })
}

/** What was on its way to the service when a process stood still arrives when it wakes. */
export const WAKING_MS = 200

/**
 * The interruption in which the answer to a request may have been lost with its process, or late: the request was in flight,
 * or its answer not kept yet. Undefined: the answer reached a process that lived and could keep it. `keepMs`: what a
 * busy machine takes from an answer to its receipt.
 */
export const lostBy = (
  charge: Charge,
  interruptions: readonly Interruption[],
  keepMs: number,
): Interruption | undefined =>
  interruptions.find(
    ({ process, from, until, kept }) =>
      charge.process === process &&
      charge.at <= until &&
      from <= charge.answeredAt + keepMs &&
      !charge.units.some((unit) => kept.has(unit)),
  )
