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
  limit: ['sluice_gate_credits_limit', `Cap of the credits, by budget; without one it is left out. ${SHARED}`],
  spent: ['sluice_gate_credits_spent', `Credits spent, by budget: of the last capped run, and of the month. ${SHARED}`],
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
    ...(rate === null ? [] : [of('rate_per_window', 'Requests per window that are let through now.', rate.perWindow)]),
    of('places', 'Requests in flight that are let through now.', places.count),
    of('in_flight', 'Requests in flight, of all processes.', state.inFlight),
    perProcess('waiting_documents', 'Documents of this process that wait at the gate.', state.waitingDocuments),
    of('waiting_processes', 'Processes that wait for a permit.', state.waitingProcesses),
    of('paused', '1 while the gate is paused by hand.', state.paused ? 1 : 0),
    of('breaker_open', '1 while the gate is shut because the service is down.', shut?.cause === 'outage' ? 1 : 0),
    of('admitted_total', 'Requests let through since the API key was first used.', state.admitted),
    ...Object.entries(refused).map(([limit, value]) =>
      of('refused_total', 'Requests that the service refused or queued, by limit.', value, { limit }),
    ),
    ...Object.entries(shutMs).map(([cause, value]) =>
      of('shut_seconds_total', 'How long the gate was shut, by cause.', value / 1000, { cause }),
    ),
    ...(until === null
      ? []
      : [
          of(
            'waits_until_timestamp_seconds',
            'When a wait of ten seconds or more, or a halt, lets a probe through.',
            until / 1000,
          ),
        ]),
    ...Object.entries(credits).flatMap(([scope, one]) =>
      one === null
        ? []
        : [of('credits_reserved', 'Credits held for what is in flight, by budget.', one.held, { scope })],
    ),
    ...monthReadings(credits.month, monthlyCredits),
    ...(creditsLeft === null
      ? []
      : [
          {
            name: 'sluice_service_credits_remaining',
            help: `Credits left on the account, where the service says it; asked for once a minute. ${SHARED}`,
            labels: { service },
            value: creditsLeft,
          },
        ]),
  ]
}
