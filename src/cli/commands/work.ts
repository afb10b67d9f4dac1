import type { Command } from 'commander'
import { outputOf } from '../print/output.ts'
import { ALSO_ACCEPTED_BY_WORK, WORK_SETTINGS } from '../session/run-settings.ts'
import { addTargetFlags, sourceCommand, targetsOf } from '../session/targets.ts'

const SOURCE = 'source of the run or watch that the worker joins (default: the pipelines of sluice.yaml)'

const EXAMPLES = `
Examples:
  $ REDIS_URL=redis://queue:6379 sluice work ~/papers --out corpus
  $ sluice work s3://bucket/in --out s3://bucket/in-parsed --metrics-port 9464`

export function workCommand(): Command {
  const command = sourceCommand('work', SOURCE).addHelpText('after', EXAMPLES)
  addTargetFlags(command, WORK_SETTINGS, ALSO_ACCEPTED_BY_WORK)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const targets = await targetsOf(command, source, output.say)
    const { longRunningSession } = await import('../session/session.ts')
    await longRunningSession(targets, {
      output,
      intake: 'none',
      greeting: (pipeline) => `working on ${pipeline.source.url} into ${pipeline.store.url}`,
    })
  })
}
