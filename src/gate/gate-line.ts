import { seconds } from './describe-wait.ts'
import type { GateState } from './gate-state.ts'

const SHUT = {
  outage: 'the service is down',
  credits: 'the account has no credits left',
  key: 'the service refuses the API key',
  permission: 'the API key lacks a permission',
} as const

/** What the gate is doing, for the progress view: `rate ~ 480/min learned, 12 in flight, next in 0.4 s`. */
export function gateLine(state: GateState): string {
  if (state.paused) return `paused by hand, ${state.inFlight} in flight`
  if (state.shut !== null) {
    return `shut: ${SHUT[state.shut.cause]}, next probe in ${seconds(state.shut.probeInMs)}, ${state.inFlight} in flight`
  }
  const parts = [rate(state), places(state)].filter((part) => part !== null)
  if (state.nextInMs >= 50) parts.push(`next in ${seconds(state.nextInMs)}`)
  return parts.join(', ')
}

function rate({ rate: limit, windowMs }: GateState): string | null {
  if (limit === null) return null
  const per = windowMs === 60_000 ? 'min' : seconds(windowMs)
  return `rate ${limit.learned ? '~ ' : ''}${Math.round(limit.perWindow)}/${per} ${limit.learned ? 'learned' : 'as stated'}`
}

/** Shows the number of places while it is what holds requests back. */
function places({ inFlight, places: limit }: GateState): string {
  return inFlight >= limit.count ? `${inFlight} of ${limit.count} places in flight` : `${inFlight} in flight`
}
