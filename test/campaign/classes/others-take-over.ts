import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultContext } from './fault-class.ts'

/** A run starts, finds the lease of the process before it expired, and does what it had: on a busy machine. */
const LONGEST_MS = 8_000

/** Another run takes over from processes that count as dead; waits for its end, or for as long as it mostly takes. */
export async function othersTakeOver({ processes }: FaultContext): Promise<void> {
  const other = processes.start('run')
  await Promise.race([other.finished, sleep(LONGEST_MS, undefined, { ref: false })])
}
