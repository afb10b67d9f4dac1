import { Command } from 'commander'
import { acceptSettings, addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { TARGET_SETTINGS, RUN_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, forEachTarget, quiet, lastTargetsOf } from './targets.ts'

/** With more documents than this, ledger entries and records are read only when asked for. */
export const MOST_RECORDS = 2_000

export function statusCommand(): Command {
  const command = new Command('status')
    .argument('[source]', 'the source of the run; without one, the pipelines of the settings file')
    .option(...FROM_URLS)
    .option(
      '--grades',
      `with more than ${MOST_RECORDS} documents too, show grades, lost records and why files were skipped: reads every record`,
    )
  addSettings(addOutput(addPipelines(command)), TARGET_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const output = outputOf(command)
    const { grades = false } = command.opts<{ readonly grades?: boolean }>()
    const targets = await lastTargetsOf(command, source, quiet)
    const { showStatus } = await import('./status.ts')
    const titles = !output.json && !output.quiet
    await forEachTarget(targets, (target, shared) => showStatus(target, shared, output, grades), titles)
  })
}
