import { Command } from 'commander'
import picomatch from 'picomatch'
import type { DeadLetter } from '#src/document/record.ts'
import { FAILURE_CODES } from '#src/document/failure.ts'
import { acceptSettings, addSettings } from './flags.ts'
import { FEED_SETTINGS, RUN_SETTINGS } from './run-settings.ts'
import { FROM_URLS } from './source-argument.ts'
import { addOutput, outputOf } from './output.ts'
import { addPipelines, lastTargetsOf } from './targets.ts'
import { UsageError } from './usage-error.ts'

interface RetryOptions {
  readonly code?: string
  readonly key?: string
}

export function retryCommand(): Command {
  const command = new Command('retry')
    .argument(
      '[source]',
      'the source of the run that they failed in; without one, the pipelines of the settings file, else the last one used here',
    )
    .option(...FROM_URLS)
    .option('--code <code>', `only this reason: ${FAILURE_CODES.join(', ')}`)
    .option('--key <glob>', 'only documents whose key matches')
  addSettings(addOutput(addPipelines(command)), FEED_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const chosen = wanted(command.opts<RetryOptions>())
    const output = outputOf(command)
    output.starting()
    const targets = await lastTargetsOf(command, source, output.say)
    const { runSession } = await import('./run-session.ts')
    await runSession(targets, chosen, output)
  })
}

function wanted({ code, key }: RetryOptions): (letter: DeadLetter) => boolean {
  if (code !== undefined && !FAILURE_CODES.some((known) => known === code)) {
    throw new UsageError(`no failure has the code "${code}"; there are ${FAILURE_CODES.join(', ')}`)
  }
  const matches = key === undefined ? () => true : picomatch(key, { dot: true, basename: !key.includes('/') })
  return (letter) => (code === undefined || letter.failure.code === code) && matches(letter.key)
}
