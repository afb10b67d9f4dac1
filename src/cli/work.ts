import { Command } from 'commander'
import { addSettings } from './flags.ts'
import { WORK_SETTINGS } from './run-settings.ts'
import { standingSession } from './standing-session.ts'
import { FROM_URLS } from './source-argument.ts'
import { addPipelines, sayOnStderr, targetsOf } from './targets.ts'

export function workCommand(): Command {
  const command = new Command('work')
    .argument(
      '[source]',
      'the same source as the run or watch that it helps; without one, the pipelines of the settings file',
    )
    .option(...FROM_URLS)
  addSettings(addPipelines(command), WORK_SETTINGS)
  return command.action(async (source: string | undefined) => {
    await standingSession(await targetsOf(command, source, sayOnStderr), {
      intake: 'none',
      greeting: (workshop) => `working on ${workshop.source.url} into ${workshop.store.url}`,
    })
  })
}
