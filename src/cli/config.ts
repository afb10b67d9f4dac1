import { Command } from 'commander'
import { choosePipelines } from '#config/choose-pipelines.ts'
import { effectiveOf } from '#config/effective.ts'
import { SETTING_NAMES } from '#config/load.ts'
import { addOutput } from './output.ts'
import { addSettings } from './flags.ts'
import { readConfig, unusable } from './read-settings.ts'

interface ConfigOptions {
  readonly json?: boolean
  readonly schema?: boolean
}

export function configCommand(): Command {
  const command = new Command('config').option('--schema', 'the JSON Schema of sluice.yaml, for editors')
  addSettings(addOutput(command), SETTING_NAMES)
  return command.action(async () => {
    const { json = false, schema = false } = command.opts<ConfigOptions>()
    if (schema) {
      const { configSchema } = await import('#config/config-schema.ts')
      process.stdout.write(`${JSON.stringify(configSchema(), null, 2)}\n`)
      return
    }
    const configuration = await readConfig(command)
    const choice = choosePipelines(configuration, [])
    if (!choice.ok) throw unusable(choice.problems)
    const effective = effectiveOf(configuration)
    if (json) process.stdout.write(`${JSON.stringify(effective)}\n`)
    else {
      const { configText } = await import('./config-text.ts')
      process.stdout.write(configText(effective))
    }
  })
}
