import { dirname, join } from 'node:path'
import type { Configuration, ConfiguredPipeline } from './read-config.ts'
import type { Settings } from './settings.ts'
import { didYouMean } from './suggest.ts'

export type Chosen =
  | { readonly ok: true; readonly pipelines: readonly ConfiguredPipeline[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Selects the named pipelines of the settings file, or all. */
export function choosePipelines({ file, pipelines }: Configuration, names: readonly string[]): Chosen {
  const known = pipelines.map(({ name }) => name)
  const where = file === null ? 'no settings file was found' : `${file.name} has ${known.join(', ') || 'no pipelines'}`
  const unknown = names
    .filter((name) => !known.includes(name))
    .map((name) => `--pipeline: there is no pipeline "${name}": ${where}${didYouMean(name, known)}`)
  const chosen = names.length === 0 ? pipelines : pipelines.filter(({ name }) => names.includes(name))
  const problems = [...unknown, ...sameStore(chosen)]
  return problems.length > 0 ? { ok: false, problems } : { ok: true, pipelines: chosen }
}

/** Two sources in one store would overwrite each other's documents, unless each has its own prefix. */
function sameStore(pipelines: readonly ConfiguredPipeline[]): string[] {
  const byStore = Map.groupBy(pipelines, ({ settings }) =>
    [settings.out.replace(/\/+$/, ''), ...(settings.prefix === undefined ? [] : [settings.prefix])].join(' under '),
  )
  return [...byStore].flatMap(([store, writers]) => {
    if (writers.length < 2) return []
    const names = writers.map(({ name }) => name).join(' and ')
    return [
      `the pipelines ${names} would write to the same store, ${store}: set a different "out" or "prefix" for each`,
    ]
  })
}

/**
 * Settings that the pipelines of a file share. Their private Redis and their log are in the folder of that file, for
 * any store of a pipeline.
 */
export function sharedSettings({ file, settings }: Configuration): Settings {
  if (file === null || settings.stateDir !== undefined) return settings
  return Object.freeze({ ...settings, stateDir: join(dirname(file.path), '.sluice') })
}
