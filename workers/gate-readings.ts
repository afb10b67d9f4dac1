import type { GateState } from '#src/gate/gate-state.ts'
import { type Reading, SHARED } from '#src/observe/reading.ts'
import type { Requests } from './open-requests.ts'

/**
 * What the gates have learned and do, for all processes on their API keys, as Prometheus values. Where a process has to
 * do with several services, each value carries its service.
 */
export async function gateReadings(opened: readonly Requests[]): Promise<Reading[]> {
  const gates = new Map(opened.map(({ service, gate }) => [service.digest, { name: service.name, gate }]))
  const readings = await Promise.all(
    [...gates.values()].map(async ({ name, gate }) => {
      const ofGate = readingsOf(await gate.limiter.state())
      return gates.size === 1 ? ofGate : ofGate.map((one) => ({ ...one, labels: { ...one.labels, service: name } }))
    }),
  )
  return readings.flat()
}

/** Two series, however many runs and months there were: runs are summed, of the months the last one counts. */
function creditReadings(credits: GateState['credits']) {
  const all = [...credits]
  const runs = all.filter(([scope]) => scope.startsWith('run:'))
  const lastMonth = all.filter(([scope]) => scope.startsWith('month:')).toSorted(([a], [b]) => (a < b ? 1 : -1))[0]
  const sums = (scope: 'run' | 'month', group: typeof all) => ({
    scope,
    held: group.reduce((sum, [, { held }]) => sum + held, 0),
    spent: group.reduce((sum, [, { spent }]) => sum + spent, 0),
  })
  return [
    ...(runs.length === 0 ? [] : [sums('run', runs)]),
    ...(lastMonth === undefined ? [] : [sums('month', [lastMonth])]),
  ]
}

export function readingsOf(state: GateState): Reading[] {
  const { rate, places, shut, refused, credits, shutMs } = state
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
    ...creditReadings(credits).flatMap(({ scope, held, spent }) => [
      of('credits_reserved', 'Credits held for what is in flight, by budget.', held, { scope }),
      of('credits_spent', 'Credits spent, by budget.', spent, { scope }),
    ]),
  ]
}
