import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { WATCH_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, targetsOf } from './targets.ts'

const EXAMPLES = `
Examples:
  $ sluice watch ~/inbox --out corpus
  $ sluice watch ~/inbox --out corpus --every "0 2 * * *"
  $ sluice watch s3://bucket/in --out s3://bucket/parsed --sqs-queue https://sqs...`

export function watchCommand(): Command {
  const command = new Command('watch')
    .argument(
      '[source]',
      'a folder, s3://bucket/prefix, or https://site; without one, the pipelines of the settings file',
    )
    .option(...FROM_URLS)
    .addHelpText('after', EXAMPLES)
  addSettings(addOutput(addPipelines(command)), WATCH_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const targets = await targetsOf(command, source, output.say)
    const { watchSession } = await import('./watch-session.ts')
    await watchSession(targets, output)
  })
}
