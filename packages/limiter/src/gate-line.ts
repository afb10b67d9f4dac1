import { seconds } from './describe-wait.ts'
import type { GateState } from './gate-state.ts'

const SHUT = {
  outage: 'the service is down',
  credits: 'the account has no credits left',
  key: 'the service refuses the API key',
  permission: 'the API key lacks a permission',
} as const

/** The line shows a shorter wait as a countdown, and a longer one as the time of day of its end. */
const SHORT_MS = 10_000

/**
 * State of the gate for the progress view: `rate ~ 480/min learned, 12 in flight, next in 0.4 s`. `probes`: true if a
 * live worker sends the next probe. `now`: epoch milliseconds.
 */
export const gateLine = (state: GateState, asked: Asked): string => gateParts(state, asked).join(', ')

interface Asked {
  readonly probes: boolean
  readonly now: number
}

/** Parts of that line; the first part of a closed gate gives the reason. */
export function gateParts(state: GateState, { probes, now }: Asked): string[] {
  const { paused, shut, inFlight, nextInMs, askedInMs } = state
  if (paused) return ['paused by hand', `${inFlight} in flight`]
  if (shut !== null) {
    const probe = probes && shut.probeInMs > 0 ? [`next probe at ${timeOfDay(now + shut.probeInMs, now)}`] : []
    return [`shut: ${SHUT[shut.cause]}`, ...probe, `${inFlight} in flight`]
  }
  const parts = [rate(state), places(state)].filter((part) => part !== null)
  const until = waitsUntil(state, now)
  if (until !== null) {
    const time = timeOfDay(until, now)
    if (askedInMs === null) parts.push(`next at ${time}`)
    else parts.unshift(`the service asks to wait until ${time}`)
  } else if (nextInMs >= 50) parts.push(`next in ${seconds(nextInMs)}`)
  return parts
}

/** End of a longer wait: the next probe of a closed gate, or the time that the service states. Epoch milliseconds. */
export function waitsUntil({ shut, askedInMs, nextInMs }: GateState, now: number): number | null {
  if (shut !== null) return shut.probeInMs > 0 ? now + shut.probeInMs : null
  const waitMs = askedInMs ?? nextInMs
  return waitMs < SHORT_MS ? null : now + waitMs
}

/** `05:03:12` in local time, with the date if it is another day than `now`. */
export function timeOfDay(at: number, now: number): string {
  const [day, today] = [new Date(at), new Date(now)]
  const two = (value: number): string => String(value).padStart(2, '0')
  const time = [day.getHours(), day.getMinutes(), day.getSeconds()].map(two).join(':')
  if (day.toDateString() === today.toDateString()) return time
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())} ${time}`
}

function rate({ rate: limit, windowMs }: GateState): string | null {
  if (limit === null) return null
  const per = windowMs === 60_000 ? 'min' : seconds(windowMs)
  return `rate ${limit.learned ? '~ ' : ''}${Math.round(limit.perWindow)}/${per} ${limit.learned ? 'learned' : 'as stated'}`
}

/** Shows the number of places if it is the limit that holds requests back. */
function places({ inFlight, places: limit }: GateState): string {
  return inFlight >= limit.count ? `${inFlight} of at most ${limit.count} requests in flight` : `${inFlight} in flight`
}
