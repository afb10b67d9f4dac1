import type { WaitReason } from './script-schemas.ts'

const REASONS: Readonly<Record<WaitReason, string>> = {
  paused: 'paused by hand; `sluice resume` continues',
  outage: 'the service is down; the next probe is sent',
  refused: 'the rate limit of the service refused a request; the gate opens again',
  places: 'the concurrency limit is reached; a place may be free',
  rate: 'the rate limit is reached; the next request may start',
}

/** Describes in one sentence the reason and the length of a document's wait. */
export function describeWait(reason: WaitReason, waitMs: number): string {
  return reason === 'paused' ? REASONS.paused : `${REASONS[reason]} in about ${seconds(waitMs)}`
}

/** `0.4 s`, `12 s`, `3 min`. */
export function seconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}
