import type { Settings } from '#config/settings.ts'
import { nextStep } from '#src/document/next-step.ts'
import { Events } from '#src/events.ts'
import { renewLost } from '#src/ingest/maintain/lost-records.ts'
import type { LocalDocuments } from '#src/ingest/document/local-documents.ts'
import { type Tally, tallyOf } from '#src/observe/tally.ts'
import { withTimeout } from '#src/observe/with-timeout.ts'
import { creditsOf } from '#workers/service/account.ts'
import { openIngestPipeline } from '#workers/compose.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { isStop, listenForStop, type Stopping } from '#workers/process/lifecycle.ts'
import type { IngestPipeline } from '#workers/pipeline/pipeline.ts'
import type { Shared } from '#workers/pipeline/shared.ts'
import { workState } from '#workers/pipeline/work-state.ts'
import { checkSource } from './check-source.ts'
import { lostLine, dayNumber } from '../print/document-lines.ts'
import { messageOf, printError } from '../print/errors.ts'
import { EXIT, type RunEnd, worstOf } from '../print/exit-codes.ts'
import { count, oneLine, plural } from '../print/format.ts'
import type { Output } from '../print/output.ts'
import { type Activity, activityOf, startProgress } from '../print/progress.ts'
import {
  reportBegun,
  reportDocuments,
  reportLosses,
  reportUnmatched,
  stopNotices,
  unusedBudgetLines,
} from './run-events.ts'
import { printSummary, readSummary, startOf } from './read-summary.ts'
import { screen } from '../print/screen.ts'
import { unsaved } from '../print/summary.ts'
import { rememberTarget, type Say, sayFor, type Target, type Targets } from './targets.ts'

const NOT_BEGUN = 'not started: run again to continue'

type Intake = WorkerOptions['intake']

/**
 * Finite work, one target after the other: shows progress, then the summary of each; sets the honest exit code. A
 * pipeline that cannot run does not stop the others.
 */
export async function runSession({ targets, shared }: Targets, intake: Intake, output: Output): Promise<void> {
  await using _closing = shared
  if (targets[0]?.settings.logFile === '-') screen.becomeLog()
  using stopping = listenForStop(stopNotices(output.say, 'run again to continue'))
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
  for (const line of unusedBudgetLines(target.settings)) say(line)
  output.starting()
  await using pipeline = await openIngestPipeline(
    { ...target, shared, events, say, mustExist: typeof intake === 'function' },
    stopping.soft,
  )
  await rememberTarget(target)
  if (pipeline.local !== null) say(localLine(pipeline.local, pipeline.scan.parsers.own.origin))
  const lost = intake === 'scan' ? await renewLost(pipeline, dayNumber(), stopping.soft) : []
  if (lost.length > 0) say(lostLine(lost, 'they are parsed again, from their receipts if these exist'))
  const start = await startOf(pipeline)
  const end = await runOnce(pipeline, { tally, activity, stopping, intake, output })
  const left = end.kind === 'halted' && end.cause === 'credits' ? await creditsLeftLine(target.settings) : null
  if (left !== null) say(left)
  return printSummary(await readSummary(pipeline, target, { tally, start, end }), target, output)
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

/** Documents that a run against a service repeats, with their cost. */
const localLine = ({ documents, credits }: LocalDocuments, origin: string): string =>
  `${plural(documents, 'document')} parsed by the embedded engine before: ${origin} parses ` +
  `${documents === 1 ? 'it' : 'them'} again for up to ${count(credits)} credits (--accept-local keeps the present outputs)`

/** Credits left after a halt for credits, as the service reports them; null if it reports none. */
async function creditsLeftLine(settings: Settings): Promise<string | null> {
  const credits = await creditsOf(settings, new AbortController().signal)
  if (credits === null || credits.remaining === null) return null
  const of = credits.plan === null ? '' : ` of ${count(credits.plan)}`
  return `credits left on the account: ${count(credits.remaining)}${of}`
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
  using stopping = listenForStop(stopNotices(options.output.say, 'start it again to continue'))
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
  options.output.say('press Ctrl-C to stop')
  using _running = options.whileRunning?.(opened.map(({ pipeline }) => pipeline))
  const ends = await Promise.allSettled(
    opened.map(({ target, pipeline }) => runUntilStopped(pipeline, target, stopping, options)),
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

/** Timeout of the summary at a stop: Redis or the store may be unavailable, and the process ends soon. */
const SUMMARY_MS = 2_000

async function runUntilStopped(
  pipeline: IngestPipeline,
  target: Target,
  stopping: Stopping,
  { intake, output }: LongRunningOptions,
): Promise<number> {
  try {
    const tally = tallyOf(pipeline.events)
    const start = await startOf(pipeline)
    const end = await runWorker(pipeline, stopping, { intake, onHalt: 'wait' })
    // A stop is the normal end: only a halt has a separate exit code.
    const exitCode = end.kind === 'halted' ? EXIT.halted : EXIT.allDone
    const isSummed = intake === 'follow' && !stopping.hard.aborted
    const summary = isSummed
      ? await withTimeout(readSummary(pipeline, target, { tally, start, end, follows: true }), SUMMARY_MS)
      : null
    if (summary !== null) return printSummary(summary, target, output, exitCode)
    const say = sayFor(target, output.say)
    for (const line of unsaved(tally)) say(line)
    const next = end.kind === 'halted' ? nextStep(end.cause) : null
    if (end.kind === 'halted') say(`halted: ${oneLine(end.message)}`)
    if (next !== null) say(next)
    return exitCode
  } catch (error) {
    stopping.stop()
    throw error
  }
}
