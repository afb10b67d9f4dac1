import type { Settings } from '#config/settings.ts'
import type { GateState } from '@sluice/limiter'
import { waitsUntil } from '@sluice/limiter/words'
import type { AccountCredits } from '#src/ledger/account-spending.ts'
import type { Activity } from '#src/ledger/redis-activity.ts'
import { type Reading, SHARED } from '#src/observe/reading.ts'
import type { Account } from './account.ts'
import type { Requests } from './open-requests.ts'

/**
 * State and learned limits of the gates, for all processes on their API keys, as Prometheus values. With several
 * services, each value has a label for its service.
 */
export async function gateReadings(
  opened: readonly Requests[],
  settings: Pick<Settings, 'monthlyCredits'>,
): Promise<Reading[]> {
  const gates = new Map(opened.map((requests) => [requests.service.digest, requests]))
  const readings = await Promise.all(
    [...gates.values()].map(async ({ service: { name, free }, gate, readWindow, account, credits: read }) => {
      const [state, credits] = await Promise.all([gate.limiter.snapshot(), read()])
      const monthlyCredits = free ? null : (settings.monthlyCredits ?? null)
      const waitingDocuments = state.waitingDocuments + readWindow.length
      const ofGate = readingsOf({ ...state, waitingDocuments }, { ...account(), monthlyCredits }, credits)
      return gates.size === 1 ? ofGate : ofGate.map((one) => ({ ...one, labels: { service: name, ...one.labels } }))
    }),
  )
  return readings.flat()
}

const CREDITS = {
  limit: ['sluice_gate_credits_limit', `Cap on credits, by budget; absent without a cap. ${SHARED}`],
  spent: [
    'sluice_gate_credits_spent',
    `Credits spent, by budget: by the last run with a cap, and in the month. ${SHARED}`,
  ],
} as const

/** The cap of a pipeline's last run (`--max-credits`), which applies to all its workers. */
export function capReadings(pipeline: string | null, cap: Activity['cap']): Reading[] {
  if (cap === null) return []
  const labels = { scope: 'run', ...(pipeline === null ? {} : { pipeline }) }
  return (['limit', 'spent'] as const).map((of) => ({
    name: CREDITS[of][0],
    help: CREDITS[of][1],
    labels,
    value: cap[of],
  }))
}

function monthReadings(month: AccountCredits['month'], limit: number | null): Reading[] {
  const values = { limit, spent: month?.spent ?? null }
  return (['limit', 'spent'] as const).flatMap((of) => {
    const value = values[of]
    return value === null ? [] : [{ name: CREDITS[of][0], help: CREDITS[of][1], labels: { scope: 'month' }, value }]
  })
}

export function readingsOf(state: GateState, account: Account, credits: AccountCredits): Reading[] {
  const { service, creditsLeft, monthlyCredits } = account
  const { rate, places, shut, refused, shutMs } = state
  const until = waitsUntil(state, Date.now())
  const perProcess = (name: string, help: string, value: number, labels: Reading['labels'] = {}): Reading => ({
    name: `sluice_gate_${name}`,
    help,
    labels,
    value,
  })
  const of: typeof perProcess = (name, help, value, labels) => perProcess(name, `${help} ${SHARED}`, value, labels)
  return [
    ...(rate === null
      ? []
      : [of('rate_per_window', 'Rate limit: requests per window that the limiter admits now.', rate.perWindow)]),
    of('places', 'Concurrency limit: requests in flight that the limiter admits now.', places.count),
    of('in_flight', 'Requests in flight, over all processes.', state.inFlight),
    perProcess('waiting_documents', 'Documents of this process that wait at the limiter.', state.waitingDocuments),
    of('waiting_processes', 'Processes that wait for the limiter to admit a request.', state.waitingProcesses),
    of('paused', '1 while the limiter is paused by hand.', state.paused ? 1 : 0),
    of('breaker_open', '1 while the circuit breaker is open: the service is down.', shut?.cause === 'outage' ? 1 : 0),
    of('admitted_total', 'Requests admitted by the limiter since the API key was first used.', state.admitted),
    ...Object.entries(refused).map(([limit, value]) =>
      of('refused_total', 'Requests that the service refused or queued, by limit.', value, {
        limit,
      }),
    ),
    ...Object.entries(shutMs).map(([cause, value]) =>
      of('shut_seconds_total', 'Time during which the limiter admitted no request, by cause.', value / 1000, { cause }),
    ),
    ...(until === null
      ? []
      : [
          of(
            'waits_until_timestamp_seconds',
            'Time of the next probe during a halt, or during a wait of ten seconds or more.',
            until / 1000,
          ),
        ]),
    ...Object.entries(credits).flatMap(([scope, one]) =>
      one === null
        ? []
        : [of('credits_reserved', 'Credits reserved for requests in flight, by budget.', one.held, { scope })],
    ),
    ...monthReadings(credits.month, monthlyCredits),
    ...(creditsLeft === null
      ? []
      : [
          {
            name: 'sluice_service_credits_remaining',
            help: `Credits left on the account, if the service reports them; read once a minute. ${SHARED}`,
            labels: { service },
            value: creditsLeft,
          },
        ]),
  ]
}
