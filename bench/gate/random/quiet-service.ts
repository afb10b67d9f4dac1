import type { Service } from './draw.ts'

const MINUTE_MS = 60_000

/** A fast service without limits, mistakes, other clients or changes: named situations add what they are about. */
export const QUIET: Service = {
  seed: 1,
  family: 'known',
  limits: [],
  concurrency: null,
  tellsQueued: false,
  latency: { meanMs: 200, sigma: 0.5, coldUntilMs: 0, coldExtraMs: 0, knee: null, steepness: 1 },
  timeoutMs: 300_000,
  text: 'explicit',
  retryAfter: 'exact',
  constantRetryMs: MINUTE_MS,
  noise: 0,
  others: null,
  change: null,
  outages: [],
  event: 'none',
  processes: 6,
  slots: 180,
  horizonMs: 15 * MINUTE_MS,
}
