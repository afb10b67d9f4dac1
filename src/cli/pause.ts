import { Command } from 'commander'
import { openPipeline } from '#workers/compose.ts'
import { Events } from '#src/events.ts'
import { addSettings } from './flags.ts'
import { readSettings } from './read-settings.ts'
import { PLACE_SETTINGS } from './run-settings.ts'

/** By hand, for all workers of a source on all machines; it outlives restarts until somebody resumes. */
export function pauseCommand(): Command {
  return switching('pause', 'no worker of this source, on any machine, starts another document until resumed', true)
}

export function resumeCommand(): Command {
  return switching('resume', 'goes on after ./sluice pause', false)
}

function switching(name: string, description: string, paused: boolean): Command {
  const command = new Command(name).description(description).argument('<source>', 'the source of the run')
  addSettings(command, PLACE_SETTINGS)
  return command.action(async (source: string) => {
    const say = (): void => undefined
    await using pipeline = await openPipeline({ source, settings: readSettings(command), events: new Events(), say })
    await (paused ? pipeline.queue.pause() : pipeline.queue.resume())
    process.stdout.write(`${paused ? 'paused' : 'resumed'}: ${pipeline.source.url}\n`)
  })
}
