import type { WaitReason } from './border.ts'

const REASONS: Readonly<Record<WaitReason, string>> = {
  paused: 'paused by hand; `sluice resume` goes on',
  outage: 'the service is down; the gate lets a probe through',
  refused: 'the service refused a request for its rate limit; the gate opens',
  places: 'all places of the concurrency limit are taken; one may be free',
  rate: 'the rate limit is reached; the next place comes',
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
