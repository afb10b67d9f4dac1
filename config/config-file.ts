import { dirname } from 'node:path'
import { checkLayer, resolveIn } from './check-layer.ts'
import { isMap } from './is-map.ts'
import type { Layer, Pipeline } from './layer.ts'
import { type FileLocator, type FileNotes, locatorIn } from './file-locator.ts'
import { holdsLogin } from './secrets.ts'

/** A settings file, read: what it says for all, and its pipelines. */
export interface ConfigFile {
  /** Absolute; relative paths in the file start in its folder. */
  readonly path: string
  /** As messages call it. */
  readonly name: string
  readonly top: Layer
  readonly pipelines: readonly Pipeline[]
}

export interface ReadConfigFile {
  readonly file: ConfigFile
  /** Every mistake in it, as `sluice.yaml:12: what is wrong`. */
  readonly problems: readonly string[]
  /** One for each key without effect. */
  readonly warnings: readonly string[]
}

export const NO_CONFIG: ConfigFile = { path: '', name: '', top: {}, pipelines: [] }

const PIPELINE_NAME = /^[\w][\w.-]{0,63}$/

/** Reads the text of a settings file. `path` is absolute, `name` is how messages call it. */
export async function parseConfigFile(text: string, path: string, name: string): Promise<ReadConfigFile> {
  // Loaded only where there is such a file.
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false })
  const folder = dirname(path)
  const empty: ConfigFile = { ...NO_CONFIG, path, name }
  const broken = document.errors.map(
    ({ code, pos, message }) =>
      `${name}:${lines.linePos(pos[0]).line}: ${
        code === 'DUPLICATE_KEY' ? `${nameAt(text, pos[0])} is there twice: remove one` : (message.split('\n')[0] ?? '')
      }`,
  )
  if (broken.length > 0) return { file: empty, problems: broken, warnings: [] }
  const notes: FileNotes = { problems: [], warnings: [] }
  const locator = locatorIn(document, lines, name, notes)
  const data: unknown = document.toJS()
  if (data === null) return { file: empty, ...notes }
  if (!isMap(data)) {
    return { file: empty, problems: [`${name}:1: a settings file is a map of names to values`], warnings: [] }
  }
  const { pipelines, ...rest } = data
  const top = checkLayer(rest, { path: [], locator, folder, inPipeline: false })
  return { file: { ...empty, top, pipelines: pipelinesOf(pipelines, locator, folder) }, ...notes }
}

const nameAt = (text: string, offset: number): string => /^[^:\n]*/.exec(text.slice(offset))?.[0].trim() ?? ''

function pipelinesOf(given: unknown, locator: FileLocator, folder: string): Pipeline[] {
  if (given === undefined || given === null) return []
  if (!isMap(given)) {
    locator.note(['pipelines'], 'pipelines is a map from a name to what that pipeline does')
    return []
  }
  return Object.entries(given).flatMap(([name, pipeline]) => {
    const path = ['pipelines', name]
    if (!PIPELINE_NAME.test(name)) {
      locator.note(
        path,
        `"${name}" is no name for a pipeline: letters, digits, dots, dashes and underscores, 64 at the most`,
      )
    }
    if (!isMap(pipeline)) {
      locator.note(path, `pipeline ${name} is a map with a source and what it sets for itself`)
      return []
    }
    const { source, ...rest } = pipeline
    const layer = checkLayer(rest, { path, locator, folder, inPipeline: true })
    if (typeof source === 'string' && source !== '') {
      const at = [...path, 'source']
      if (holdsLogin(source)) locator.note(at, 'source holds a password, and those do not belong in this file')
      return [{ name, source: resolveIn(source, folder), at: locator.at(at), layer }]
    }
    locator.note(path, `pipeline ${name} needs a source: a folder, s3://bucket/prefix, or https://site`)
    return []
  })
}
