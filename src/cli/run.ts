import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { RUN_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, targetsOf } from './targets.ts'

const EXAMPLES = `
Examples:
  $ sluice run ~/papers --out corpus
  $ sluice run s3://bucket/in --out s3://bucket/parsed --s3-region eu-central-1
  $ sluice run ~/scans --out corpus --mode ocr --include '**/*.pdf'
  $ sluice run --from-urls pages.txt --out corpus
  $ sluice run https://docs.example.com --out corpus
  $ PARSE_API_URL=https://... PARSE_API_KEY=... sluice run ~/papers --out corpus --max-credits 500`

export function runCommand(): Command {
  const command = new Command('run')
    .argument(
      '[source]',
      'a folder, s3://bucket/prefix, or https://site; without one, the pipelines of the settings file',
    )
    .option(...FROM_URLS)
    .addHelpText('after', EXAMPLES)
  addSettings(addOutput(addPipelines(command)), RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    const { runSession } = await import('./run-session.ts')
    await runSession(targets, 'scan', output)
  })
}
