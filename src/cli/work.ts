import { Command } from 'commander'
import { openWorkshop } from '#workers/compose.ts'
import { runWorker } from '#workers/ingest.ts'
import { listenForStop } from '#workers/lifecycle.ts'
import { Events } from '#src/events.ts'
import { exitCodeOf } from './exit-codes.ts'
import { addSettings } from './flags.ts'
import { readSettings } from './read-settings.ts'
import { WORK_SETTINGS } from './run-settings.ts'

export function workCommand(): Command {
  const command = new Command('work')
    .description('a worker only, to add machines: takes what others enqueue for this source, until it is stopped')
    .argument('<source>', 'the same source as the run or watch that it helps')
  addSettings(command, WORK_SETTINGS)
  return command.action(async (source: string) => {
    const settings = readSettings(command)
    const say = (line: string): void => void process.stderr.write(`${line}\n`)
    using stopping = listenForStop(
      () => say('finishing what is under way; Ctrl-C again to stop at once'),
      () => say('stopping at once; nothing is lost'),
    )
    await using workshop = await openWorkshop({ source, settings, events: new Events(), say }, stopping.soft)
    say(`working on ${workshop.source.url} into ${workshop.store.url}; Ctrl-C to stop`)
    const end = await runWorker(workshop, stopping, { intake: 'none', onHalt: 'wait' })
    // Being stopped is how a worker is meant to end: only a halt is worth an exit code of its own.
    process.exitCode = end.kind === 'halted' ? exitCodeOf(end, { failed: 0, pending: 0 }) : 0
  })
}
