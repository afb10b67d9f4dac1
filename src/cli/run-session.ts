import { openIngestPipeline } from '#workers/compose.ts'
import type { IngestPipeline } from '#workers/pipeline.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { isStop, listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { Shared } from '#workers/shared.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { seen } from '#src/document/outcome.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { type Tally, tallyOf } from '#src/observe/tally.ts'
import { Events } from '#src/events.ts'
import type { LocalDocuments } from '#src/ingest/process/local-documents.ts'
import type { Settings } from '#config/settings.ts'
import { creditsOf } from '#workers/account.ts'
import { checkSource } from './check-source.ts'
import { EXIT, exitCodeOf, type RunEnd, worstOf } from './exit-codes.ts'
import { skippedOf } from '#src/ingest/scan/skipped-of.ts'
import { renewLost } from '#src/ingest/maintain/lost-records.ts'
import { lostLine, turnOfDay } from './lost-line.ts'
import { type Activity, activityOf } from './activity.ts'
import type { Output } from './output.ts'
import { summaryEvent, reportBegun, reportDocuments } from './run-events.ts'
import { screen } from './screen.ts'
import { startProgress } from './progress.ts'
import { stopNotices } from './stop-notices.ts'
import { summaryOf } from './summary.ts'
import { rememberTarget, sayFor, type Target, type Targets } from './targets.ts'
import { printError } from './report-error.ts'
import { reportLosses } from './report-losses.ts'
import { reportUnmatched } from './report-unmatched.ts'
import { messageOf } from './usage-error.ts'
import { count, plural } from './format.ts'

/** Dead letters read for the summary at the most. */
const LETTERS = 10

const NOT_BEGUN = 'not begun: run again to go on'

type Intake = WorkerOptions['intake']

/**
 * Work that comes to an end, one target after the other, as a person sees it: progress, then the summary of each; sets
 * the honest exit code. A pipeline that cannot be run does not keep the others from their turn.
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
  await checkSource(target)
  const events = new Events()
  const tally = tallyOf(events)
  const activity = activityOf(events)
  reportDocuments(events, output, target.name)
  const say = sayFor(target, output.say)
  if (intake === 'scan') reportBegun(target, output)
  output.starting()
  reportLosses(events, say)
  reportUnmatched(events, say)
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
    ambiguous: await pipeline.ambiguous(),
    columns: process.stdout.columns || 80,
  }
  const title = target.name === null ? '' : `${target.name}: `
  output.result(`${title}${summaryOf(summary)}`, () => summaryEvent(summary, target.name, exitCode))
  return exitCode
}

/** A scan that was cut short has not seen all that the ledger counts, nor has one of a source that lists a part. */
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
  using _progress = startProgress({ ...shown, counts, listed, workState: () => pipeline.workState() })
  return await runWorker(pipeline, stopping, { intake, onHalt: 'stop' })
}

async function firstLetters({ store }: IngestPipeline): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  try {
    for await (const letter of store.listDeadLetters(AbortSignal.timeout(30_000))) {
      letters.push(letter)
      if (letters.length >= LETTERS) break
    }
  } catch (error) {
    // Of a run that ended because its store is away, the summary names none.
    if (!(error instanceof StoreUnusable)) throw error
  }
  return letters
}

/** What a run against a service does again, and what that costs. */
const localLine = ({ documents, credits }: LocalDocuments, origin: string): string =>
  `${plural(documents, 'document')} parsed by the embedded engine before: ${origin} parses ` +
  `${documents === 1 ? 'it' : 'them'} again for up to ${count(credits)} credits (--accept-local keeps what is there)`

/** After a halt for credits: what the service says that is left. Null where it does not say. */
async function creditsLeftLine(settings: Settings): Promise<string | null> {
  const credits = await creditsOf(settings, new AbortController().signal)
  if (credits === null || credits.remaining === null) return null
  const of = credits.plan === null ? '' : ` of ${count(credits.plan)}`
  return `the service says that ${count(credits.remaining)}${of} credits are left`
}
