import { within } from '#src/observe/within.ts'
import type { Requests } from './open-requests.ts'

/** How long the gate's state may take to come, for a line that is drawn again soon. */
const GATE_LINE_MS = 1_000

/** Outages first: they are known in this process, while the gate's state is in Redis. */
export async function statusLine(outageLine: () => string | null, { gateLine }: Requests): Promise<string | null> {
  const gate = await within(gateLine(), GATE_LINE_MS)
  return [outageLine(), gate].filter((part) => part !== null).join('; ') || null
}
