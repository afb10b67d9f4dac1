import { Command } from 'commander'
import { DEFAULT_SERVICE } from '#src/contract/rules.ts'
import { acceptSettings, addSettings } from './flags.ts'
import { addOutput, outputOf } from './output.ts'
import { FEED_SETTINGS, RUN_SETTINGS } from './run-settings.ts'
import { addPipelines, targetsOf } from './targets.ts'
import { UsageError } from './usage-error.ts'

interface Options {
  readonly sample: string
  readonly report: string
  readonly seed?: string
  readonly service?: string
}

/** Most pages of a sample: more would be a run. */
const MOST_PAGES = 100_000

export function auditCommand(): Command {
  const command = new Command('audit')
    .argument('[source]', 'a folder or s3://bucket/prefix; without one, the pipelines of the settings file')
    .option('--sample <pages>', 'pages to buy; every tenth is bought twice, so it costs a tenth more', '200')
    .option('--report <folder>', 'where audit.json is written', 'audit')
    .option(
      '--seed <number>',
      'draw the sample of an earlier audit again; its receipts are found, and nothing is bought',
    )
    .option('--service <name>', 'with this one of the services of the settings (default: that of PARSE_API_URL)')
  addSettings(addOutput(addPipelines(command)), FEED_SETTINGS)
  acceptSettings(command, RUN_SETTINGS)
  return command.action(async (source: string | undefined) => {
    const { sample, report, seed, service } = command.opts<Options>()
    const asked = {
      sample: wholeNumber('--sample', sample, 1, MOST_PAGES),
      seed: seed === undefined ? null : wholeNumber('--seed', seed, 0, 0xffff_ffff),
      report,
      service: service === DEFAULT_SERVICE ? undefined : service,
    }
    const output = outputOf(command)
    output.starting()
    const targets = await targetsOf(command, source, output.say)
    const { auditTargets } = await import('./audit.ts')
    await auditTargets(targets, asked, output)
  })
}

/** A number that a flag of one command takes; refused in one sentence. */
function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new UsageError(`${flag}: "${text}" is no whole number from ${least} to ${most}`)
}
