import type { DependencyMonitor, Outage, OutageChange } from './dependency-monitor.ts'
import type { Reading } from './reading.ts'

const NAMES = {
  engine: 'the embedded engine is down',
  redis: 'Redis is down',
  service: 'the service is unavailable',
  source: 'the source is unavailable',
  store: 'the store is unavailable',
} as const

function outageSubject({ dependency, service, pipeline }: Outage): string {
  const what = service === undefined ? NAMES[dependency] : `the service ${service} is unavailable`
  return `${pipeline === null ? '' : `${pipeline}: `}${what}`
}

/** `papers: the store is unavailable: Sluice cannot commit …`. */
const outageSentence = (outage: Outage): string => `${outageSubject(outage)}: ${outage.cause}`

/** Reason why this process cannot work now, for readiness; null if it can. */
export function notReadyReason(monitor: DependencyMonitor): string | null {
  return monitor.outages().map(outageSentence).join('\n') || null
}

/** A state of the work for the progress view: an essential part, and a text of any length that may be cut. */
export interface Notice {
  readonly parts: readonly string[]
  readonly cause: string | null
}

export interface OutageNotice extends Notice {
  readonly dependency: Outage['dependency']
}

/** Outages for the progress view. */
export const outageNotices = (monitor: DependencyMonitor): readonly OutageNotice[] =>
  monitor.outages().map((outage) => ({
    dependency: outage.dependency,
    parts: [`${outageSubject(outage)} for ${Math.round(monitor.durationMs(outage) / 1000)} s`],
    cause: outage.cause,
  }))

/** A line for the terminal: an outage and its cause, or its end. */
export function outageNotice(change: OutageChange): string {
  if (change.kind === 'failing') return `waiting: ${outageSentence(change.outage)}`
  const { dependency, service, pipeline } = change.outage
  const name = dependency === 'redis' ? 'Redis' : `the ${dependency}${service === undefined ? '' : ` ${service}`}`
  return `${pipeline === null ? '' : `${pipeline}: `}${name} works again, after ${Math.round(change.afterMs / 1000)} s`
}

/** `sluice_redis_up`, and `sluice_dependency_up` of all dependencies: 1, or 0 during an outage. */
export function outageReadings(monitor: DependencyMonitor): Reading[] {
  const up = (dependency: keyof typeof NAMES): number => (monitor.isOut(dependency) ? 0 : 1)
  const help = '1 while the dependency works, 0 during an outage; /readyz names its cause.'
  return [
    {
      name: 'sluice_redis_up',
      help: '1 while Redis answers; otherwise the metrics read from Redis are absent.',
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
