import { assertNever } from '#src/document/assert-never.ts'
import { nextStep } from '#src/document/next-step.ts'
import { timeOfDay } from '#src/gate/gate-line.ts'
import type { LastRun, LastRunReport } from '#src/ledger/redis-last-run.ts'
import type { LiveStatus } from '#src/view/live.ts'

/** The last run as a person reads it, whatever the process that asks is set to; null before the first. */
export function describeRun({ run, killedAt, halts }: LastRunReport, now: number): LiveStatus['lastRun'] {
  const [halt] = halts.toSorted((a, b) => a.since - b.since)
  if (run === null && halt === undefined) return null
  const end = run?.end ?? null
  const endedAt = end?.at ?? killedAt
  return {
    state: halt === undefined ? stateOf(end, killedAt) : 'halted',
    command: run?.command ?? null,
    service: run?.service ?? null,
    startedAt: run?.startedAt ?? null,
    endedAt,
    cause: halt?.cause ?? null,
    haltedAt: halt?.since ?? null,
    line: [
      ...(run === null ? [] : [whereOf(run, endedAt, now)]),
      halt === undefined ? endOf(end, killedAt) : `halted at ${timeOfDay(halt.since, now)}: ${halt.message}`,
    ].join(', '),
    next: halt === undefined ? null : nextStep(halt.cause),
  }
}

function stateOf(end: LastRun['end'], killedAt: number | null): NonNullable<LiveStatus['lastRun']>['state'] {
  if (end === null) return killedAt === null ? 'running' : 'killed'
  return end.kind === 'halted' ? 'resumed' : end.kind
}

function whereOf({ command, service, startedAt }: LastRun, endedAt: number | null, now: number): string {
  const where = `sluice ${command} at ${service ?? 'the embedded engine'}`
  const from = timeOfDay(startedAt, now)
  return endedAt === null ? `${where}, since ${from}` : `${where}, from ${from} to ${timeOfDay(endedAt, now)}`
}

function endOf(end: LastRun['end'], killedAt: number | null): string {
  if (end === null) return killedAt === null ? 'running' : 'killed; run again to go on'
  switch (end.kind) {
    case 'complete':
      return 'complete'
    case 'interrupted':
      return 'stopped; run again to go on'
    case 'failed':
      return `failed: ${end.message}`
    case 'halted':
      return `halted (${end.message}); a worker has gone on since`
    default:
      return assertNever(end)
  }
}
