import type { Settings } from '#config/settings.ts'
import { nextStep } from '#src/document/next-step.ts'
import { seen } from '#src/document/outcome.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { Events } from '#src/events.ts'
import { renewLost } from '#src/ingest/maintain/lost-records.ts'
import type { LocalDocuments } from '#src/ingest/document/local-documents.ts'
import { skippedOf } from '#src/ingest/document/skip-file.ts'
import { type Tally, tallyOf } from '#src/observe/tally.ts'
import { creditsOf } from '#workers/service/account.ts'
import { openIngestPipeline } from '#workers/compose.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { isStop, listenForStop, type Stopping } from '#workers/process/lifecycle.ts'
import type { IngestPipeline } from '#workers/pipeline/pipeline.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { workState } from '#workers/pipeline/work-state.ts'
import { checkSource } from './check-source.ts'
import { lostLine, turnOfDay } from '../print/document-lines.ts'
import { messageOf, printError } from '../print/errors.ts'
import { EXIT, exitCodeOf, type RunEnd, worstOf } from '../print/exit-codes.ts'
import { count, oneLine, plural } from '../print/format.ts'
import type { Output } from '../print/output.ts'
import { type Activity, activityOf, startProgress } from '../print/progress.ts'
import { reportBegun, reportDocuments, reportLosses, reportUnmatched, stopNotices, summaryEvent } from './run-events.ts'
import { screen } from '../print/screen.ts'
import { summaryOf, unsaved } from '../print/summary.ts'
import { rememberTarget, type Say, sayFor, type Target, type Targets } from './targets.ts'

/** Maximum number of dead letters read for the summary. */
const LETTERS = 10

const NOT_BEGUN = 'not begun: run again to go on'

type Intake = WorkerOptions['intake']

/**
 * Finite work, one target after the other: shows progress, then the summary of each; sets the honest exit code. A
 * pipeline that cannot run does not stop the others.
 */
export async function runSession({ targets, shared }: Targets, intake: Intake, output: Output): Promise<void> {
  await using _closing = shared
  if (targets[0]?.settings.logFile === '-') screen.becomeLog()
  using stopping = listenForStop(stopNotices(output.say, 'run again to go on'))
  const codes: number[] = []
  for (const target of targets) {
    if (stopping.soft.aborted) {
      sayFor(target, output.say)(NOT_BEGUN)
      continue
    }
    try {
      codes.push(await runTarget(target, { shared, stopping, intake, output }))
    } catch (error) {
      if (isStop(error, stopping)) {
        codes.push(EXIT.interrupted)
        sayFor(target, output.say)(NOT_BEGUN)
        continue
      }
      if (targets.length === 1) throw error
      codes.push(EXIT.usage)
      const message = messageOf(error)
      printError(message, {}, target.name)
      output.event('summary', () => ({ pipeline: target.name, end: 'broken', message, exitCode: EXIT.usage }))
    }
  }
  process.exitCode = worstOf(codes)
}

interface Session {
  readonly shared: Shared
  readonly stopping: Stopping
  readonly intake: Intake
  readonly output: Output
}

async function runTarget(target: Target, { shared, stopping, intake, output }: Session): Promise<number> {
  const { events, say } = await begin(target, output)
  const tally = tallyOf(events)
  const activity = activityOf(events)
  if (intake === 'scan') reportBegun(target, output)
  output.starting()
  await using pipeline = await openIngestPipeline(
    { ...target, shared, events, say, mustExist: typeof intake === 'function' },
    stopping.soft,
  )
  await rememberTarget(target)
  if (pipeline.local !== null) say(localLine(pipeline.local, pipeline.scan.parsers.own.origin))
  const lost = intake === 'scan' ? await renewLost(pipeline, turnOfDay(), stopping.soft) : []
  if (lost.length > 0) say(lostLine(lost, 'done again, from their receipts where those are there'))
  const startedAt = performance.now()
  const before = await pipeline.ledger.counts()
  const endedBefore = await pipeline.ledger.endedTotal()
  const end = await runOnce(pipeline, { tally, activity, stopping, intake, output })
  const left = end.kind === 'halted' && end.cause === 'credits' ? await creditsLeftLine(target.settings) : null
  if (left !== null) say(left)
  const counts = await pipeline.ledger.counts()
  const letters = counts.failed > 0 ? await firstLetters(pipeline) : []
  const exitCode = exitCodeOf(end, { ...counts, unsupported: target.settings.strict ? tally.unsupported : 0 })
  const summary = {
    end,
    counts,
    doneBefore: seen(before) - before.pending,
    endedSince: (await pipeline.ledger.endedTotal()) - endedBefore,
    tally,
    skipped: await itemised(pipeline, tally, counts.skipped),
    elapsedMs: performance.now() - startedAt,
    out: target.settings.out,
    letters,
    ambiguous: await pipeline.intents.ambiguousTotal(),
    columns: process.stdout.columns || 80,
  }
  const title = target.name === null ? '' : `${target.name}: `
  output.result(`${title}${summaryOf(summary)}`, () => summaryEvent(summary, target.name, exitCode))
  return exitCode
}

/** The events of a target with a readable source, connected to the printed lines. */
async function begin(target: Target, output: Output): Promise<{ readonly events: Events; readonly say: Say }> {
  await checkSource(target)
  const events = new Events()
  const say = sayFor(target, output.say)
  reportDocuments(events, output, target.name)
  reportLosses(events, say)
  reportUnmatched(events, say)
  return { events, say }
}

/**
 * Falls back to the ledger if the tally is incomplete: after an interrupted scan, or for a source that lists a part.
 */
async function itemised(
  { ledger }: IngestPipeline,
  { skipped }: Tally,
  total: number,
): Promise<ReadonlyMap<string, number>> {
  const counted = [...skipped.values()].reduce((sum, number) => sum + number, 0)
  return counted === total ? skipped : skippedOf(ledger, AbortSignal.timeout(30_000))
}

interface Pass extends Pick<Session, 'stopping' | 'intake' | 'output'> {
  readonly tally: Tally
  readonly activity: Activity
}

async function runOnce(pipeline: IngestPipeline, { stopping, intake, ...shown }: Pass): Promise<RunEnd> {
  const counts = () => pipeline.ledger.counts()
  const listed = (): number | null => (intake === 'scan' && !shown.tally.scanned ? shown.activity.listed() : null)
  using _progress = startProgress({ ...shown, counts, listed, workState: () => workState(pipeline) })
  return await runWorker(pipeline, stopping, { intake, onHalt: 'stop' })
}

async function firstLetters({ store }: IngestPipeline): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  try {
    for await (const letter of store.deadLetters.list(AbortSignal.timeout(30_000))) {
      letters.push(letter)
      if (letters.length >= LETTERS) break
    }
  } catch (error) {
    // The store is unavailable: the summary of that run names no dead letters.
    if (!(error instanceof StoreUnusable)) throw error
  }
  return letters
}

/** Documents that a run against a service repeats, with their cost. */
const localLine = ({ documents, credits }: LocalDocuments, origin: string): string =>
  `${plural(documents, 'document')} parsed by the embedded engine before: ${origin} parses ` +
  `${documents === 1 ? 'it' : 'them'} again for up to ${count(credits)} credits (--accept-local keeps what is there)`

/** Credits left after a halt for credits, as the service reports them; null if it reports none. */
async function creditsLeftLine(settings: Settings): Promise<string | null> {
  const credits = await creditsOf(settings, new AbortController().signal)
  if (credits === null || credits.remaining === null) return null
  const of = credits.plan === null ? '' : ` of ${count(credits.plan)}`
  return `the service says that ${count(credits.remaining)}${of} credits are left`
}

interface LongRunningOptions {
  readonly output: Output
  readonly intake: Extract<WorkerOptions['intake'], 'follow' | 'none'>
  /** Listens to the events of a target from its start. */
  readonly listen?: (events: Events, say: Say) => void
  /** Greeting of an open target. */
  readonly greeting: (pipeline: IngestPipeline) => string
  /** Called when all are open; its result is disposed of at the end. */
  readonly whileRunning?: (pipelines: readonly IngestPipeline[]) => Disposable
}

/**
 * Work on all targets at the same time until it is stopped. If one of them cannot open, or breaks, the process ends
 * with its error: a watch that does half of its task would be unnoticed.
 */
export async function longRunningSession({ targets, shared }: Targets, options: LongRunningOptions): Promise<void> {
  await using _closing = shared
  if (targets[0]?.settings.logFile === '-') screen.becomeLog()
  using stopping = listenForStop(stopNotices(options.output.say, 'start it again to go on'))
  await using resources = new AsyncDisposableStack()
  const opened: { readonly target: Target; readonly pipeline: IngestPipeline }[] = []
  try {
    for (const target of targets) {
      opened.push({ target, pipeline: resources.use(await open(target, shared, stopping, options)) })
    }
  } catch (error) {
    if (isStop(error, stopping)) return
    throw error
  }
  options.output.say('Ctrl-C to stop')
  using _running = options.whileRunning?.(opened.map(({ pipeline }) => pipeline))
  const ends = await Promise.allSettled(
    opened.map(({ target, pipeline }) =>
      runUntilStopped(pipeline, stopping, options, sayFor(target, options.output.say)),
    ),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  process.exitCode = worstOf(ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])))
}

async function open(
  target: Target,
  shared: Shared,
  { soft }: Stopping,
  options: LongRunningOptions,
): Promise<IngestPipeline> {
  const { events, say } = await begin(target, options.output)
  options.listen?.(events, say)
  const pipeline = await openIngestPipeline({ ...target, shared, events, say }, soft)
  await rememberTarget(target)
  say(options.greeting(pipeline))
  return pipeline
}

async function runUntilStopped(
  pipeline: IngestPipeline,
  stopping: Stopping,
  { intake }: LongRunningOptions,
  say: Say,
): Promise<number> {
  try {
    const tally = tallyOf(pipeline.events)
    const end = await runWorker(pipeline, stopping, { intake, onHalt: 'wait' })
    for (const line of unsaved(tally)) say(line)
    // A stop is the normal end: only a halt has a separate exit code.
    if (end.kind !== 'halted') return EXIT.allDone
    say(`halted: ${oneLine(end.message)}`)
    const next = nextStep(end.cause)
    if (next !== null) say(next)
    return EXIT.halted
  } catch (error) {
    stopping.stop()
    throw error
  }
}
