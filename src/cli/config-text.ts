import { Document, type Pair, Scalar, YAMLMap } from 'yaml'
import type { Effective, EffectiveConfiguration } from '#config/effective.ts'

/**
 * The effective settings as YAML, each with where it comes from in a comment. It is a settings file again: what is not
 * set, and what is hidden, stands in a comment.
 */
export function configText(configuration: EffectiveConfiguration): string {
  const document = new Document(new YAMLMap())
  document.commentBefore = ` effective settings; ${configuration.file ?? 'no settings file'}`
  const root = document.contents as YAMLMap
  addSettings(root, configuration.settings)
  if (configuration.pipelines.length > 0) {
    const pipelines = new YAMLMap()
    for (const { name, source, at, settings } of configuration.pipelines) {
      const pipeline = new YAMLMap()
      pipeline.add(pairOf('source', source, at))
      addSettings(pipeline, settings)
      pipelines.add({ key: name, value: pipeline })
    }
    root.add({ key: 'pipelines', value: pipelines })
  }
  return document.toString({ lineWidth: 0 })
}

function addSettings(map: YAMLMap, settings: readonly Effective[]): void {
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
