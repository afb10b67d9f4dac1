import { Command } from 'commander'
import { engineOptionsOf } from '#workers/settings/engine-options-of.ts'
import { openServerOf } from '#workers/settings/setting-errors.ts'
import { addOutput } from '../print/output.ts'
import { addSettings, readSettings } from '../session/flags.ts'
import { ENGINE_COMMAND_SETTINGS } from '../session/run-settings.ts'

export function engineCommand(): Command {
  const command = new Command('engine')
  addSettings(addOutput(command), ENGINE_COMMAND_SETTINGS, 'engine')
  return command.action(async () => {
    // Loaded only here: every other command starts a third faster without it.
    const { serveEngine } = await import('#workers/engine/serve-engine.ts')
    const settings = await readSettings(command)
    const { engineHost, enginePort, engineSocket, graceMs } = settings
    const where =
      engineSocket === undefined ? `--port ${enginePort} (--host ${engineHost})` : `--socket ${engineSocket}`
    await openServerOf(where, () => serveEngine(engineOptionsOf(settings), { exitWithParent: false, graceMs }))
  })
}
