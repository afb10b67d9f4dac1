import { openIngestPipeline } from '#workers/compose.ts'
import type { IngestPipeline } from '#workers/pipeline.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { isStop, listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { Shared } from '#workers/shared.ts'
import { Events } from '#src/events.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { checkSource } from './check-source.ts'
import { EXIT, worstOf } from './exit-codes.ts'
import { oneLine } from './format.ts'
import { nextStep } from '#src/document/next-step.ts'
import { reportLosses } from './report-losses.ts'
import { reportUnmatched } from './report-unmatched.ts'
import type { Output } from './output.ts'
import { screen } from './screen.ts'
import { reportDocuments } from './run-events.ts'
import { stopNotices } from './stop-notices.ts'
import { rememberTarget, type Say, sayFor, type Target, type Targets } from './targets.ts'
import { unsaved } from './unsaved.ts'

export interface LongRunningOptions {
  readonly output: Output
  readonly intake: Extract<WorkerOptions['intake'], 'follow' | 'none'>
  /** Hears the events of a target from the beginning. */
  readonly listen?: (events: Events, say: Say) => void
  /** What is said of a target that is open. */
  readonly greeting: (pipeline: IngestPipeline) => string
  /** Called when all are open; what it returns is disposed of at the end. */
  readonly whileRunning?: (pipelines: readonly IngestPipeline[]) => Disposable
}

/**
 * Work that goes on until it is stopped, on all targets at the same time. When one of them cannot be opened, or breaks,
 * the process ends with its error: a watch that does half of its task would go unnoticed.
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
  await checkSource(target)
  const say = sayFor(target, options.output.say)
  const events = new Events()
  options.listen?.(events, say)
  reportLosses(events, say)
  reportUnmatched(events, say)
  reportDocuments(events, options.output, target.name)
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
    // Being stopped is how it is meant to end: only a halt is worth an exit code of its own.
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
