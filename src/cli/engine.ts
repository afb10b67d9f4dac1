import { Command } from 'commander'
import { engineOptionsOf } from '#workers/engine-options-of.ts'
import { addSettings } from './flags.ts'
import { readSettings } from './read-settings.ts'
import { ENGINE_COMMAND_SETTINGS } from './run-settings.ts'

export function engineCommand(): Command {
  const command = new Command('engine').description(
    'the engine alone: our own server of POST /v2/parse and /v2/scrape, with real local conversion',
  )
  addSettings(command, ENGINE_COMMAND_SETTINGS, 'engine')
  return command.action(async () => {
    // Loaded only here: every other command starts a third faster without it.
    const { serveEngine } = await import('#workers/serve-engine.ts')
    await serveEngine(engineOptionsOf(await readSettings(command)), false)
  })
}
