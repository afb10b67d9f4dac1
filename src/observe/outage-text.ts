import type { DependencyMonitor, Outage, OutageChange } from './dependency-monitor.ts'
import type { Reading } from './reading.ts'

const NAMES = {
  engine: 'the engine is down',
  redis: 'Redis is down',
  service: 'the service is unavailable',
  source: 'the source is unavailable',
  store: 'the store is unavailable',
} as const

/** `papers: the store is unavailable: Sluice cannot commit …`. */
function outageSentence({ dependency, service, pipeline, cause }: Outage): string {
  const what = service === undefined ? NAMES[dependency] : `the service ${service} is unavailable`
  return `${pipeline === null ? '' : `${pipeline}: `}${what}: ${cause}`
}

/** Why this process cannot work now, for readiness; null when it can. */
export function notReadyReason(monitor: DependencyMonitor): string | null {
  return monitor.outages().map(outageSentence).join('\n') || null
}

/** The same on one line, for the progress view. */
export function outageLine(monitor: DependencyMonitor): string | null {
  const parts = monitor
    .outages()
    .map((outage) => `${outageSentence(outage)} (for ${Math.round(monitor.lasted(outage) / 1000)} s)`)
  return parts.join('; ') || null
}

/** One line for the terminal: an outage and its cause, or its end. */
export function outageNotice(change: OutageChange): string {
  if (change.kind === 'failing') return `waiting: ${outageSentence(change.outage)}`
  const { dependency, service, pipeline } = change.outage
  const name = dependency === 'redis' ? 'Redis' : `the ${dependency}${service === undefined ? '' : ` ${service}`}`
  return `${pipeline === null ? '' : `${pipeline}: `}${name} works again, after ${Math.round(change.afterMs / 1000)} s`
}

/** `sluice_redis_up`, and `sluice_dependency_up` of all dependencies: 1, or 0 during an outage. */
export function outageReadings(monitor: DependencyMonitor): Reading[] {
  const up = (dependency: keyof typeof NAMES): number => (monitor.isOut(dependency) ? 0 : 1)
  const help = '1 while it can be used; 0 during an outage, whose cause /readyz states.'
  return [
    {
      name: 'sluice_redis_up',
      help: '1 while Redis answers; without it every metric that it holds is left out.',
      value: up('redis'),
    },
    ...(Object.keys(NAMES) as (keyof typeof NAMES)[]).map((dependency) => ({
      name: 'sluice_dependency_up',
      help,
      labels: { dependency },
      value: up(dependency),
    })),
  ]
}
