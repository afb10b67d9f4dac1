import type { Notice, OutageNotice } from '#src/observe/outage-text.ts'
import { within } from '#src/observe/within.ts'
import type { Requests } from './open-requests.ts'

/** How long the gate's state may take to come, for a line that is drawn again soon. */
const GATE_LINE_MS = 1_000

/** What keeps documents back, for the progress view. */
export interface WorkState {
  readonly notices: readonly Notice[]
  /** Documents a millisecond that the gate lets through; null while it knows no rate. */
  readonly perMs: number | null
  /** By an outage, a halt or a pause. */
  readonly isHeld: boolean
}

/** Outages first: they are known in this process, while the gate's state is in Redis. */
export async function workState(
  outages: readonly OutageNotice[],
  { gate, gateLine, service }: Requests,
): Promise<WorkState> {
  const [line, state] = (await within(Promise.all([gateLine(), gate.limiter.state()]), GATE_LINE_MS)) ?? [null, null]
  const parts = line === null || line === '' ? [] : line.split(', ')
  const down = outages.find(({ dependency }) => state?.shut?.cause === 'outage' && dependency === 'service')
  // The gate is shut for that outage: its line goes on with the next probe.
  const merged = outages.map((outage) =>
    outage === down ? { ...outage, parts: [...outage.parts, ...parts.slice(1)] } : outage,
  )
  const { rate = null, shut = null, paused = false, windowMs = 1 } = service.free ? {} : (state ?? {})
  return {
    notices: down !== undefined || parts.length === 0 ? merged : [...merged, { parts, cause: null }],
    perMs: rate === null ? null : rate.perWindow / windowMs,
    isHeld: outages.length > 0 || shut !== null || paused,
  }
}
