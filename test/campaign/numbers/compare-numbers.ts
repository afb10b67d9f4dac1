import type { Metrics } from '../checker/metrics-outside.ts'
import { differing, type Summary } from '../checker/numbers.ts'
import type { StoreOutside } from '../checker/store-outside.ts'

type Numbers = Readonly<Record<string, number>>

type Counted = Pick<Summary, 'done' | 'partial' | 'failed' | 'skipped' | 'pending' | 'seen' | 'skippedBy' | 'gone'>

export interface Reported {
  /** Of `plan --json`. */
  readonly plan: {
    readonly seen: number
    readonly gone: number
    readonly requests: number
    readonly credits: number
    readonly skipped: Numbers
    readonly changes: Numbers
  }
  /** The `summary` event of `run --json`. */
  readonly run: Summary
  readonly status: Counted
  /** Keys that `failures` lists. */
  readonly failures: readonly string[]
  readonly exitCode: number | null
  /** Keys of the run's `document` events. */
  readonly documents: readonly string[]
  /** A worker beside the run. */
  readonly worker: { readonly metrics: Metrics; readonly documents: readonly string[] } | null
  readonly store: StoreOutside
  /** Files in the source, by the test's own count. */
  readonly listed: number
  /** Documents that came out before may lie below a folder that is left out now: they are in `seen` beside the others. */
  readonly mayHoldMore: boolean
  /** By the service's ledger. */
  readonly charged: { readonly before: number; readonly after: number }
  /** That came to the service; `again` of these for a content that it had rejected before in the same run: copies share no receipt. */
  readonly requests: number
  readonly again: number
  readonly stderr: string
  /** Documents were pending before: the worker beside may have ended some before the run began. */
  readonly hadPending: boolean
}

export interface Asked {
  readonly deleteGone: boolean
  readonly cap: number | null
}

/** One sentence for each number that two sources of it do not agree on. */
export function differences(asked: Asked, reported: Reported): readonly string[] {
  if (reported.plan === undefined || reported.run === undefined || reported.status === undefined) {
    return [`a command reported nothing: ${reported.stderr}`]
  }
  const isComplete = reported.run.end === 'complete'
  // A run that is halted ends while a worker beside it still has documents in flight: `status` is asked after these have ended.
  const isSameMoment = isComplete || reported.worker === null
  return [
    ...ofOneCommand('the summary', reported.run),
    ...ofOneCommand('status', reported.status),
    ...(isSameMoment ? differing('run and status', countsOf(reported.run), countsOf(reported.status)) : []),
    ...same('seen by run and status', reported.run.seen, reported.status.seen),
    ...differing('skipped of run and status', reported.run.skippedBy, reported.status.skippedBy),
    ...ofMoney(asked, reported),
    ...ofWorker(reported),
    ...(isComplete ? [...ofPlan(asked, reported), ...ofStore(reported), ...ofSource(reported)] : []),
    ...ofExit(reported),
  ]
}

const countsOf = ({ done, partial, failed, skipped, pending, seen, gone }: Counted): Numbers => ({
  done,
  partial,
  failed,
  skipped,
  pending,
  seen,
  gone,
})

const sum = (numbers: Numbers): number => Object.values(numbers).reduce((total, number) => total + number, 0)

function ofOneCommand(name: string, counted: Counted): readonly string[] {
  const { done, partial, failed, skipped, pending, seen, skippedBy } = counted
  return [
    ...same(`${name}: seen and its parts`, seen, done + partial + failed + skipped + pending),
    ...same(`${name}: skipped and its parts`, skipped, sum(skippedBy)),
  ]
}

/** A worker without a source's listing ends and buys what was pending, also where the run's rules leave it out. */
const endsWhatWasPending = ({ hadPending, worker }: Reported): boolean => hadPending && worker !== null

function ofPlan({ deleteGone }: Asked, reported: Reported): readonly string[] {
  const { plan, run, requests, again } = reported
  if (endsWhatWasPending(reported)) return []
  return [
    ...same('plan and run: seen', plan.seen, run.seen),
    ...same('plan: seen and its parts', plan.seen, sum(plan.changes)),
    ...same('plan and run: gone', deleteGone ? 0 : plan.gone, run.gone),
    ...differing('skipped of plan and run', plan.skipped, run.skippedBy),
    ...same('plan and service: requests', plan.requests, requests - again),
  ]
}

function ofStore({ run, store, failures }: Reported): readonly string[] {
  const records = [...store.records.values()]
  const present = records.filter(({ key, goneAt }) => goneAt === undefined && !store.letters.has(key))
  const outcomes = (outcome: string): number => present.filter((record) => record.outcome === outcome).length
  return [
    ...store.torn,
    ...same('run and store: done', run.done, outcomes('done')),
    ...same('run and store: partial', run.partial, outcomes('partial')),
    ...same('run and store: dead letters', run.failed, store.letters.size),
    ...same('failures and dead letters', failures.toSorted().join(), [...store.letters.keys()].toSorted().join()),
    ...(records.filter(({ goneAt }) => goneAt !== undefined).length < run.gone
      ? ['fewer records are gone than reported']
      : []),
  ]
}

function ofSource({ run, listed, mayHoldMore }: Reported): readonly string[] {
  if (mayHoldMore) return run.seen >= listed ? [] : [`the source holds ${listed} files, and seen is ${run.seen}`]
  return same('seen and the files of the source', run.seen, listed)
}

/** Receipts of the service's answers are never removed here: each charge has left one. */
function ofMoney({ cap }: Asked, reported: Reported): readonly string[] {
  const { run, worker, charged, requests, store, plan } = reported
  const { metrics = null } = worker ?? {}
  const spent = charged.after - charged.before
  const receipts = [...store.receipts.keys()].filter((id) => id.endsWith('-service')).length
  const credits = run.credits.reported + (metrics?.value('sluice_credits_total', { basis: 'reported' }) ?? 0)
  const sent = run.requests + (metrics?.sum('sluice_requests_total') ?? 0)
  return [
    ...same('credits reported and charged', credits, spent),
    ...same('requests reported and received', sent, requests),
    ...same('receipts and charges', receipts, charged.after),
    ...(cap !== null && spent > cap ? [`${spent} charged under a cap of ${cap}`] : []),
    ...(spent > plan.credits && !endsWhatWasPending(reported)
      ? [`${spent} charged, and planned were ${plan.credits}`]
      : []),
  ]
}

function ofWorker({ run, worker, documents, status, hadPending }: Reported): readonly string[] {
  const ended = [
    ...same('documents that ended, and their events', run.ended, documents.length),
    ...same('documents that ended twice', documents.filter((key, at) => documents.indexOf(key) !== at).join(), ''),
  ]
  if (worker === null) return [...ended, ...same('documents of other workers, without any', run.endedElsewhere, 0)]
  const { metrics } = worker
  const of = (outcome: string): number => metrics.value('sluice_documents', { outcome })
  const { done, partial, failed, skipped, pending } = status
  return [
    ...ended,
    ...(run.end === 'complete' && !hadPending
      ? same('documents of other workers', run.endedElsewhere, worker.documents.length)
      : []),
    ...same(
      'completed by metrics and events',
      metrics.sum('sluice_documents_completed_total'),
      worker.documents.length,
    ),
    ...differing(
      'status and metrics',
      { done, partial, failed, skipped, pending, gone: status.gone },
      {
        done: of('done'),
        partial: of('partial'),
        failed: of('failed'),
        skipped: of('skipped'),
        pending: of('pending'),
        gone: metrics.value('sluice_documents_gone'),
      },
    ),
  ]
}

function ofExit({ run, exitCode }: Reported): readonly string[] {
  const expected = run.end === 'halted' ? 3 : run.failed + run.pending > 0 ? 2 : 0
  return same('exit code', exitCode ?? -1, expected)
}

const same = <T extends number | string>(what: string, one: T, other: T): readonly string[] =>
  one === other ? [] : [`${what}: ${one} and ${other}`]
