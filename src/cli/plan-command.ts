import { Command } from 'commander'
import { readAudit } from './read-audit.ts'
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
    .option('--audit <file>', 'audit.json of `sluice audit`: prices policies for PDFs that were not read locally')
  addSettings(addOutput(addPipelines(command)), PLAN_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    output.starting()
    const { audit: path } = command.opts<{ readonly audit?: string }>()
    const audit = path === undefined ? null : await readAudit(path)
    const targets = await targetsOf(command, source, output.say)
    const { showPlan } = await import('./plan.ts')
    await forEachTarget(
      targets,
      (target, shared) => showPlan(target, shared, output, audit),
      !output.json && !output.quiet,
    )
  })
}
