import type { Command } from 'commander'
import { outputOf } from '../print/output.ts'
import { RUN_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, sourceCommand, targetsOf } from '../session/targets.ts'

const TASKS = `Tasks:
  $ sluice run ~/papers --out corpus                     convert a folder
  $ sluice run s3://bucket/prefix --out s3://bucket/parsed
  $ sluice run --from-urls pages.txt --out pages         a list of URLs
  $ PARSE_API_URL=https://... PARSE_API_KEY=... sluice run ~/papers --out corpus
`

export function runCommand(): Command {
  const command = sourceCommand(
    'run',
    'a folder, s3://bucket/prefix or https://site (default: the pipelines of sluice.yaml)',
  ).addHelpText('before', TASKS)
  addTargetFlags(command, RUN_SETTINGS, null)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    const { runSession } = await import('../session/session.ts')
    await runSession(targets, 'scan', output)
  })
}
