import { Command } from 'commander'
import { acceptSettings, addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { PLAN_SETTINGS, RUN_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, forEachTarget, targetsOf } from './targets.ts'

export function planCommand(): Command {
  const command = new Command('plan')
    .argument(
      '[source]',
      'a folder, s3://bucket/prefix, or https://site; without one, the pipelines of the settings file',
    )
    .option(...FROM_URLS)
  addSettings(addOutput(addPipelines(command)), PLAN_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    const { showPlan } = await import('./plan.ts')
    await forEachTarget(targets, (target, shared) => showPlan(target, shared, output), !output.json && !output.quiet)
  })
}
