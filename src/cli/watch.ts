import { Command } from 'commander'
import { openWorkshop } from '#workers/compose.ts'
import { runWorker } from '#workers/ingest.ts'
import { listenForStop } from '#workers/lifecycle.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { Events } from '#src/events.ts'
import { exitCodeOf } from './exit-codes.ts'
import { addSettings } from './flags.ts'
import { oneLine } from './format.ts'
import { startProgress } from './progress.ts'
import { goneLines } from './summary.ts'
import { readSettings } from './read-settings.ts'
import { WATCH_SETTINGS } from './run-settings.ts'

export function watchCommand(): Command {
  const command = new Command('watch')
    .description('keeps following a folder or bucket: what comes or changes is parsed, until it is stopped')
    .argument('<source>', 'a folder, or s3://bucket/prefix')
  addSettings(command, WATCH_SETTINGS)
  return command.action(async (source: string) => {
    const settings = readSettings(command)
    const say = (line: string): void => void process.stderr.write(`${line}\n`)
    const events = new Events()
    let saidLast = ''
    events.on('sweep:finished', (gone) => {
      const line = goneLines(gone).join('; ')
      if (line !== '' && line !== saidLast) say(line)
      saidLast = line
    })
    events.on('process:error', ({ key, error }) => {
      if (key === null)
        say(oneLine(`going on after an error: ${error instanceof Error ? error.message : String(error)}`))
    })
    using stopping = listenForStop(
      () => say('finishing what is under way; Ctrl-C again to stop at once'),
      () => say('stopping at once; nothing is lost'),
    )
    await using workshop = await openWorkshop({ source, settings, events, say }, stopping.soft)
    const when = settings.every === undefined ? 'watching' : `scanning by the schedule "${settings.every}"`
    say(`${when} ${workshop.source.url} into ${workshop.store.url}; Ctrl-C to stop`)
    const progress = startProgress({
      stream: process.stderr,
      tally: tallyOf(events),
      counts: () => workshop.ledger.counts(),
      gateLine: workshop.gateLine,
      now: Date.now,
    })
    try {
      const end = await runWorker(workshop, stopping, { intake: 'follow', onHalt: 'wait' })
      process.exitCode = end.kind === 'halted' ? exitCodeOf(end, { failed: 0, pending: 0 }) : 0
    } finally {
      progress.stop()
    }
  })
}
