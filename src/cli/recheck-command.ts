import { Command } from 'commander'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { acceptSettings, addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { FEED_SETTINGS, RUN_SETTINGS } from './run-settings.ts'
import { addPipelines, targetsOf } from './targets.ts'
import { UsageError } from './usage-error.ts'
import { wholeNumber } from './whole-number.ts'

interface Options {
  readonly budget?: string
  readonly name?: string
  readonly service?: string
}

const MOST_CREDITS = 1_000_000

export function recheckCommand(): Command {
  const command = new Command('recheck')
    .argument('[source]', 'the source of the run; without one, the pipelines of the settings file')
    .option('--budget <credits>', 'buy receipts again for so many credits')
    .option('--name <name>', 'repeat the recheck of this name: what it bought is not bought again (default: the date)')
    .option('--service <name>', 'with this one of the services of the settings (default: that of PARSE_API_URL)')
  addSettings(addOutput(addPipelines(command)), FEED_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const { budget, name, service } = command.opts<Options>()
    if (budget === undefined) throw new UsageError('say how many credits may be spent: --budget 20')
    const asked = {
      budget: wholeNumber('--budget', budget, 1, MOST_CREDITS),
      name: name ?? null,
      service: service === DEFAULT_SERVICE ? undefined : service,
    }
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    const { recheckTargets } = await import('./recheck.ts')
    await recheckTargets(targets, asked, output)
  })
}
