import { Command } from 'commander'
import type { Workshop } from '#workers/compose.ts'
import type { Counts } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { addSettings } from './flags.ts'
import { oneLine } from './format.ts'
import { startProgress } from './progress.ts'
import { WATCH_SETTINGS } from './run-settings.ts'
import { standingSession } from './standing-session.ts'
import { goneLines } from './summary.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, type Say, sayOnStderr, targetsOf } from './targets.ts'
import { messageOf } from './usage-error.ts'

export function watchCommand(): Command {
  const command = new Command('watch')
    .argument('[source]', 'a folder, or s3://bucket/prefix; without one, the pipelines of the settings file')
    .option(...FROM_URLS)
  addSettings(addPipelines(command), WATCH_SETTINGS)
  return command.action(async (source: string | undefined) => {
    await standingSession(await targetsOf(command, source, sayOnStderr), {
      intake: 'follow',
      listen: tellWhatMatters,
      greeting,
      whileStanding: showProgress,
    })
  })
}

function tellWhatMatters(events: Events, say: Say): void {
  let saidLast = ''
  events.on('sweep:finished', (gone) => {
    const line = goneLines(gone).join('; ')
    if (line !== '' && line !== saidLast) say(line)
    saidLast = line
  })
  events.on('process:error', ({ key, error }) => {
    if (key === null) say(oneLine(`going on after an error: ${messageOf(error)}`))
  })
}

function greeting({ settings, source, store }: Workshop): string {
  const when = settings.every === undefined ? 'watching' : `scanning by the schedule "${settings.every}"`
  return `${when} ${source.url} into ${store.url}`
}

/** One line for all that is watched. */
function showProgress(workshops: readonly Workshop[]): Disposable {
  const progress = startProgress({
    stream: process.stderr,
    tally: tallyOf(...workshops.map(({ events }) => events)),
    counts: async () => sumOf(await Promise.all(workshops.map(({ ledger }) => ledger.counts()))),
    gateLine: async () => {
      const lines = await Promise.all(workshops.map((workshop) => workshop.gateLine()))
      return [...new Set(lines.filter((line) => line !== null))].join('; ') || null
    },
  })
  return { [Symbol.dispose]: () => progress.stop() }
}

function sumOf(all: readonly Counts[]): Counts {
  const of = (outcome: keyof Counts): number => all.reduce((sum, counts) => sum + counts[outcome], 0)
  return {
    pending: of('pending'),
    done: of('done'),
    partial: of('partial'),
    failed: of('failed'),
    skipped: of('skipped'),
  }
}
