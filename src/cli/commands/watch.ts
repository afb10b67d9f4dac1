import type { Command } from 'commander'
import type { Counts } from '#src/document/outcome.ts'
import type { Change, Events } from '#src/events.ts'
import { timeOfDay } from '@sluice/limiter/words'
import { tallyOf } from '#src/observe/tally.ts'
import type { IngestPipeline } from '#workers/pipeline/pipeline.ts'
import type { WorkState } from '#workers/pipeline/work-state.ts'
import { messageOf } from '../print/errors.ts'
import { count, oneLine, shownName } from '../print/format.ts'
import { type Output, outputOf } from '../print/output.ts'
import { activityOf, noticeText, startProgress } from '../print/progress.ts'
import { WATCH_SETTINGS } from '../session/run-settings.ts'
import { goneLines } from '../print/summary.ts'
import { addTargetFlags, type Say, sourceCommand, type Targets, targetsOf } from '../session/targets.ts'

const TASKS = `Tasks:
  $ sluice watch ~/papers --out corpus                   follow a folder
  $ sluice watch ~/papers --out corpus --every "0 2 * * *"
  $ sluice watch s3://inbox --out s3://corpus --sqs-queue https://…
`

export function watchCommand(): Command {
  const command = sourceCommand(
    'watch',
    'a folder, s3://bucket/prefix or https://site (default: the pipelines of sluice.yaml)',
  ).addHelpText('before', TASKS)
  addTargetFlags(command, WATCH_SETTINGS, null)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const targets = await targetsOf(command, source, output.say)
    await watchSession(targets, output)
  })
}

/** Scans due within this time are not announced: a line per minute would hide the others. */
const SOON_MS = 60_000

/** Follows all targets until it is stopped. */
async function watchSession(targets: Targets, output: Output): Promise<void> {
  const { workState } = await import('#workers/pipeline/work-state.ts')
  // A single progress line for all watched pipelines.
  const whileRunning = (pipelines: readonly IngestPipeline[]): Disposable => {
    const events = pipelines.map((pipeline) => pipeline.events)
    return startProgress({
      output,
      tally: tallyOf(...events),
      activity: activityOf(...events),
      counts: async () => sumOf(await Promise.all(pipelines.map(({ ledger }) => ledger.counts()))),
      workState: async () => allOf(await Promise.all(pipelines.map(workState))),
    })
  }
  const listen = (events: Events, say: Say): void => {
    reportEvents(events, say)
    reportChanges(events, say, output)
  }
  const { longRunningSession } = await import('../session/session.ts')
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
    if (key === null) say(oneLine(`error, the watch continues: ${messageOf(error)}`))
  })
}

function greeting({ settings, source, store }: IngestPipeline): string {
  const when = settings.every === undefined ? 'watching' : `scanning on the schedule "${settings.every}"`
  return `${when} ${source.url} into ${store.url}`
}

/** Pipelines of one service have the same notices: deduplicates them. */
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

/** Changes that a scheduled scan reports. Omits a changed recipe or parser: the user changed it. */
const REPORTED: readonly Change[] = ['new', 'changed', 'gone']

/**
 * Reports after each scheduled scan the number of new, changed and gone documents. With --json it adds an event for
 * each of them, with --verbose a line.
 */
function reportChanges(events: Events, say: Say, output: Output): void {
  let found: Map<Change, number> | null = null
  events.on('schedule:due', () => {
    found = new Map()
  })
  events.on('document:seen', ({ key, change }) => {
    if (found === null || !REPORTED.includes(change)) return
    found.set(change, (found.get(change) ?? 0) + 1)
    if (output.json || output.verbose)
      output.event('change', () => ({ key, change }), `${change.padEnd(7)} ${shownName(key)}`)
  })
  events.on('sweep:finished', () => {
    const counted = REPORTED.flatMap((change) => {
      const number = found?.get(change) ?? 0
      return number === 0 ? [] : [`${count(number)} ${change}`]
    })
    if (counted.length > 0) say(`scan: ${counted.join(', ')}`)
    found = null
  })
}
