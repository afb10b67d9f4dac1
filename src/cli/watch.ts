import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { WATCH_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, targetsOf } from './targets.ts'

const TASKS = `Tasks:
  $ sluice watch ~/papers --out corpus                   follow a folder
  $ sluice watch ~/papers --out corpus --every "0 2 * * *"
  $ sluice watch s3://inbox --out s3://corpus --sqs-queue https://…
`

export function watchCommand(): Command {
  const command = new Command('watch')
    .argument('[source]', 'a folder, s3://bucket/prefix or https://site; none: the pipelines of sluice.yaml')
    .option(...FROM_URLS)
    .addHelpText('before', TASKS)
  addSettings(addOutput(addPipelines(command)), WATCH_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const targets = await targetsOf(command, source, output.say)
    const { watchSession } = await import('./watch-session.ts')
    await watchSession(targets, output)
  })
}
