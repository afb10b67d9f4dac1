import type { IngestPipeline } from '#workers/pipeline.ts'
import type { WorkState } from '#workers/work-state.ts'
import type { Counts } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import { timeOfDay } from '#src/gate/gate-line.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { activityOf } from './activity.ts'
import { oneLine } from './format.ts'
import type { Output } from './output.ts'
import { noticeText } from './progress-lines.ts'
import { startProgress } from './progress.ts'
import { reportChanges } from './scan-changes.ts'
import { longRunningSession } from './long-running-session.ts'
import { goneLines } from './summary.ts'
import type { Say, Targets } from './targets.ts'
import { messageOf } from './usage-error.ts'

/** A scan that is due this soon is not announced: a line for each minute would hide the others. */
const SOON_MS = 60_000

/** Follows all targets until it is stopped. */
export async function watchSession(targets: Targets, output: Output): Promise<void> {
  const whileRunning = (pipelines: readonly IngestPipeline[]): Disposable => showProgress(pipelines, output)
  const listen = (events: Events, say: Say): void => {
    reportEvents(events, say)
    reportChanges(events, say, output)
  }
  await longRunningSession(targets, { output, intake: 'follow', listen, greeting, whileRunning })
}

function reportEvents(events: Events, say: Say): void {
  let saidLast = ''
  events.on('sweep:finished', (gone) => {
    const line = goneLines(gone).join('; ')
    if (line !== '' && line !== saidLast) say(line)
    saidLast = line
  })
  events.on('schedule:next', ({ dueAt }) => {
    const now = Date.now()
    if (dueAt.getTime() - now > SOON_MS) say(`next scan at ${timeOfDay(dueAt.getTime(), now)}`)
  })
  events.on('process:error', ({ key, error }) => {
    if (key === null) say(oneLine(`going on after an error: ${messageOf(error)}`))
  })
}

function greeting({ settings, source, store }: IngestPipeline): string {
  const when = settings.every === undefined ? 'watching' : `scanning by the schedule "${settings.every}"`
  return `${when} ${source.url} into ${store.url}`
}

/** One line for all that is watched. */
function showProgress(pipelines: readonly IngestPipeline[], output: Output): Disposable {
  const events = pipelines.map((pipeline) => pipeline.events)
  return startProgress({
    output,
    tally: tallyOf(...events),
    activity: activityOf(...events),
    counts: async () => sumOf(await Promise.all(pipelines.map(({ ledger }) => ledger.counts()))),
    workState: async () => allOf(await Promise.all(pipelines.map((pipeline) => pipeline.workState()))),
  })
}

/** Pipelines of one service say the same, once. */
function allOf(states: readonly WorkState[]): WorkState {
  const rates = states.flatMap(({ perMs }) => perMs ?? [])
  return {
    notices: [...new Map(states.flatMap(({ notices }) => notices).map((one) => [noticeText(one), one])).values()],
    perMs: rates.length === 0 ? null : Math.min(...rates),
    isHeld: states.some(({ isHeld }) => isHeld),
  }
}

function sumOf(all: readonly Counts[]): Counts {
  const of = (outcome: keyof Counts): number => all.reduce((sum, counts) => sum + counts[outcome], 0)
  return {
    pending: of('pending'),
    done: of('done'),
    partial: of('partial'),
    failed: of('failed'),
    skipped: of('skipped'),
    gone: of('gone'),
  }
}
