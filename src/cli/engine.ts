import { Command } from 'commander'
import { serveEngine } from '#workers/serve-engine.ts'
import { addSettings } from './flags.ts'
import { readSettings } from './read-settings.ts'
import { ENGINE_COMMAND_SETTINGS } from './run-settings.ts'

export function engineCommand(): Command {
  const command = new Command('engine').description(
    'the engine alone: our own server of POST /v2/parse and /v2/scrape, with real local conversion',
  )
  addSettings(command, ENGINE_COMMAND_SETTINGS, 'engine')
  return command.action(() => serveEngine(readSettings(command), false))
}
