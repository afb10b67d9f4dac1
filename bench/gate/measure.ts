import type { LimitedPlan, LimitedReport, LimitedRequest } from './limited/service-plan.ts'
import { bestPerMs, type Measure } from './regimes.ts'

/** What the service's own report says of a regime. */
export interface Measured {
  /** Done as a share of the best possible in the measured windows; null where that is not what the regime is about. */
  readonly goodput: number | null
  /** 429s as a share of all requests, from the start: with what it takes to find the limit. */
  readonly refused: number
  /** The same in the measured windows, when it is known; null where goodput is. */
  readonly refusedLater: number | null
  /** Windows from the event until 90 % of what is possible; null where there is no event, Infinity for never. */
  readonly recoveryWindows: number | null
  /** Requests sent while the service was down. */
  readonly outageRequests: number | null
  readonly c402: number
  readonly undercut: number
  readonly requests: number
}

export function measure(report: LimitedReport, plan: LimitedPlan, how: Measure): Measured {
  const { requests, undercut } = report
  const { outage } = plan
  return {
    goodput: how.kind === 'goodput' ? goodput(requests, plan, how.from, how.to) : null,
    refused: refusedShare(requests),
    refusedLater: how.kind === 'goodput' ? refusedShare(sentBetween(requests, plan, how.from, how.to)) : null,
    recoveryWindows: how.kind === 'recovery' ? recovery(requests, plan, how.at, how.until) : null,
    outageRequests:
      outage === null ? null : requests.filter(({ from }) => from >= outage.from && from < outage.to).length,
    c402: requests.filter(({ status }) => status === 402).length,
    undercut,
    requests: requests.length,
  }
}

function refusedShare(requests: readonly LimitedRequest[]): number {
  const refused = requests.filter(({ status }) => status === 429).length
  return requests.length === 0 ? 0 : refused / requests.length
}

function sentBetween(
  requests: readonly LimitedRequest[],
  { windowMs }: LimitedPlan,
  from: number,
  to: number,
): readonly LimitedRequest[] {
  return requests.filter((request) => request.from >= from * windowMs && request.from < to * windowMs)
}

function goodput(requests: readonly LimitedRequest[], plan: LimitedPlan, from: number, to: number): number {
  const { windowMs } = plan
  return doneBetween(requests, from * windowMs, to * windowMs) / (bestPerMs(plan, false) * (to - from) * windowMs)
}

/** The first moment, in tenths of a window, after which one whole window has 90 % of what is possible. */
function recovery(requests: readonly LimitedRequest[], plan: LimitedPlan, at: number, until: number): number {
  const { windowMs } = plan
  for (let tenths = at * 10; tenths <= (until - 1) * 10; tenths += 1) {
    const from = (tenths / 10) * windowMs
    const done = doneBetween(requests, from, from + windowMs)
    if (done >= 0.9 * bestPerMs(plan, true) * windowMs) return tenths / 10 - at
  }
  return Infinity
}

function doneBetween(requests: readonly LimitedRequest[], from: number, to: number): number {
  return requests.filter((request) => request.status === 200 && request.to >= from && request.to < to).length
}
