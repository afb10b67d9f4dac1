import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { runSession } from './run-session.ts'
import { RUN_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, sayOnStderr, targetsOf } from './targets.ts'

export function runCommand(): Command {
  const command = new Command('run')
    .argument('[source]', 'a folder, or s3://bucket/prefix; without one, the pipelines of the settings file')
    .option(...FROM_URLS)
  addSettings(addPipelines(command), RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    await runSession(await targetsOf(command, source, sayOnStderr), 'scan')
  })
}
