import { Command } from 'commander'
import { Document, type Pair, Scalar, YAMLMap } from 'yaml'
import { choosePipelines } from '#config/choose-pipelines.ts'
import { type Effective, type EffectiveConfiguration, effectiveOf } from '#config/effective.ts'
import { SETTING_NAMES } from '#config/load.ts'
import { addSettings, readConfig, unusable } from '../session/flags.ts'
import { addOutput } from '../print/output.ts'

interface ConfigOptions {
  readonly json?: boolean
  readonly schema?: boolean
}

export function configCommand(): Command {
  const command = new Command('config').option('--schema', 'print the JSON Schema of sluice.yaml, for editors')
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
    else process.stdout.write(configText(effective))
  })
}

/**
 * The effective settings as YAML, each with its origin in a comment. The result is a valid settings file: unset and
 * hidden values are in comments.
 */
function configText(configuration: EffectiveConfiguration): string {
  const document = new Document(new YAMLMap())
  document.commentBefore = ` effective settings; ${configuration.file ?? 'no settings file'}`
  const root = document.contents as YAMLMap
  addEffective(root, configuration.settings)
  if (configuration.pipelines.length > 0) {
    const pipelines = new YAMLMap()
    for (const { name, source, at, settings } of configuration.pipelines) {
      const pipeline = new YAMLMap()
      pipeline.add(pairOf('source', source, at))
      addEffective(pipeline, settings)
      pipelines.add({ key: name, value: pipeline })
    }
    root.add({ key: 'pipelines', value: pipelines })
  }
  return document.toString({ lineWidth: 0 })
}

function addEffective(map: YAMLMap, settings: readonly Effective[]): void {
  const unset: string[] = []
  for (const [section, inside] of Map.groupBy(settings, (setting) => setting.section)) {
    const target = section === null ? map : new YAMLMap()
    for (const { name, key, value, hidden, from } of inside) {
      if (value === undefined) unset.push(` ${name}: ${hidden ? 'hidden' : 'not set'} (${from})`)
      else target.add(pairOf(key, value, from))
    }
    if (section !== null && target.items.length > 0) map.add({ key: section, value: target })
  }
  if (unset.length > 0) map.comment = unset.join('\n')
}

function pairOf(key: string, value: unknown, from: string): Pair {
  const node = new Document().createNode(value, { flow: true })
  node.comment = ` ${from}`
  return new Document().createPair(new Scalar(key), node)
}
