import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Document, LineCounter } from 'yaml'
import { PDF_MODES, zodIssues } from '@sluice/contract'
import { fieldNames } from './config-schema.ts'
import { FILE_NAMES, type FileName, isSection, isShared, keyOf, rowOf, type Section, written } from './file-names.ts'
import { type FromFile, type Layer, type Pipeline, plainMessage } from './load.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'
import { hasLogin, secretHeaders, redactLogin } from './secrets.ts'
import { type SettingName, SETTINGS } from './settings.ts'
import { didYouMean, MAX_TYPO_EDITS } from './suggest.ts'
import { yamlProblems } from './yaml-problems.ts'

/** A parsed settings file: its settings for all pipelines, and the pipelines. */
export interface ConfigFile {
  /** Absolute; relative paths in the file start in its folder. */
  readonly path: string
  /** Name of the file in messages. */
  readonly name: string
  readonly top: Layer
  readonly pipelines: readonly Pipeline[]
}

export interface ReadConfigFile {
  readonly file: ConfigFile
  /** All mistakes, each as `sluice.yaml:12: what is wrong`. */
  readonly problems: readonly string[]
  /** A line per key without effect. */
  readonly warnings: readonly string[]
}

export const NO_CONFIG: ConfigFile = { path: '', name: '', top: {}, pipelines: [] }

const PIPELINE_NAME = /^[\w][\w.-]{0,63}$/

/** Parses the text of a settings file. `path` is absolute; `name` is the file's name in messages. */
export async function parseConfigFile(text: string, path: string, name: string): Promise<ReadConfigFile> {
  // Lazy import: most runs have no settings file.
  const { LineCounter, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false })
  const folder = dirname(path)
  const empty: ConfigFile = { ...NO_CONFIG, path, name }
  const broken = yamlProblems({ document, text, lines, name }, visit)
  if (broken.length > 0) return { file: empty, problems: broken, warnings: [] }
  const notes: FileNotes = { problems: [], warnings: [] }
  const locator = locatorIn(document, lines, name, notes)
  const data: unknown = document.toJS()
  if (data === null) return { file: empty, ...notes }
  if (!isMap(data)) {
    return {
      file: empty,
      problems: [`${name}:1: the file is not a map: write one "name: value" per line`],
      warnings: [],
    }
  }
  const { pipelines, ...rest } = data
  const top = checkLayer(rest, { path: [], locator, folder, inPipeline: false })
  return { file: { ...empty, top, pipelines: pipelinesOf(pipelines, locator, folder) }, ...notes }
}

function pipelinesOf(given: unknown, locator: FileLocator, folder: string): Pipeline[] {
  if (given === undefined || given === null) return []
  if (!isMap(given)) {
    locator.note(['pipelines'], 'pipelines must be a map: a name for each pipeline, and its settings indented below')
    return []
  }
  return Object.entries(given).flatMap(([name, pipeline]) => {
    const path = ['pipelines', name]
    if (!PIPELINE_NAME.test(name)) {
      locator.note(
        path,
        `"${name}" is not a valid name of a pipeline: use up to 64 letters, digits, dots, dashes and underscores`,
      )
    }
    if (!isMap(pipeline)) {
      locator.note(path, `pipeline ${name} must be a map: its source and settings, indented`)
      return []
    }
    const { source, ...rest } = pipeline
    const layer = checkLayer(rest, { path, locator, folder, inPipeline: true })
    if (typeof source === 'string' && source !== '') {
      const at = [...path, 'source']
      if (hasLogin(source)) locator.note(at, 'source holds a password, which this file must not contain')
      return [{ name, source: resolveIn(source, folder), at: locator.at(at), layer }]
    }
    locator.note(path, `pipeline ${name} needs a source: a folder, s3://bucket/prefix, or https://site`)
    return []
  })
}

interface LayerContext {
  /** Path of the level in the file. */
  readonly path: readonly string[]
  readonly locator: FileLocator
  readonly folder: string
  readonly inPipeline: boolean
}

/** Parses one level of a settings file and collects its mistakes. */
function checkLayer(given: Readonly<Record<string, unknown>>, context: LayerContext): Layer {
  const layer: Partial<Record<SettingName, FromFile>> = {}
  const take = (section: Section | null, key: string, value: unknown): void => {
    const path = [...context.path, ...(section === null ? [] : [section]), key]
    const known = FILE_NAMES.find((name) => name.section === section && name.key === key)
    if (known === undefined) {
      const name = written({ section, key })
      if (name === 'refresh' && typeof value === 'boolean') {
        // In 0.2.0 this setting decided which documents are parsed again: its settings files keep that meaning.
        layer.detectChanges ??= { value: value ? 'content' : 'version', at: context.locator.at(path) }
        return context.locator.warn(
          path,
          `the setting refresh was replaced: Sluice reads it as detectChanges: ${value ? 'content' : 'version'}`,
        )
      }
      const replacement = REMOVED_SETTINGS[name]
      return replacement === undefined
        ? context.locator.note(path, unknownKey(section, key, context.inPipeline))
        : context.locator.warn(path, `the setting ${name} was removed and is ignored: ${replacement}`)
    }
    if (context.inPipeline && isShared(known.setting)) {
      return context.locator.note(path, `${written(known)} applies to all pipelines: set it at the top of the file`)
    }
    layer[known.setting] = fromFile(known, value, path, context)
  }
  for (const [key, value] of Object.entries(given)) {
    if (!isSection(key)) take(null, key, value)
    else if (isMap(value)) for (const [inner, one] of Object.entries(value)) take(key, inner, one)
    else if (value !== null)
      context.locator.note([...context.path, key], `${key} is a section: write its settings indented below it`)
  }
  return layer
}

const SOURCE_AT_TOP =
  'source belongs to a pipeline: write it under pipelines, as in "pipelines: { papers: { source: ./papers } }", or give it on the command line'

function unknownKey(section: Section | null, key: string, inPipeline: boolean): string {
  const secret = (Object.keys(SETTINGS) as SettingName[]).find((name) => {
    const at = keyOf(name)
    return rowOf(name).secret !== undefined && ((at.section === section && at.key === key) || name === key)
  })
  const name = written({ section, key })
  if (secret !== undefined) return `${name} is a secret, which this file must not contain: ${secretReplacement(secret)}`
  if (/(access|secret).*key|password|credential/i.test(key)) {
    return `${name}: this file must not contain secrets; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the shared AWS files or a role of the machine`
  }
  if (name === 'source') return SOURCE_AT_TOP
  if (PDF_MODES.some((mode) => mode === name)) return `there is no setting "${name}"; did you mean "mode: ${name}"?`
  const known = FILE_NAMES.filter(({ setting }) => !inPipeline || !isShared(setting)).map(written)
  // All keys of a section share its name: only the rest counts for the search of a typo.
  const slip = section === null ? undefined : Math.min(MAX_TYPO_EDITS, Math.floor(key.length / 2))
  const close = didYouMean(name, [inPipeline ? 'source' : 'pipelines', ...known], slip)
  return `there is no setting "${name}"${close || '; docs/reference/settings.md lists all settings'}`
}

function secretReplacement(name: SettingName): string {
  const { section, key } = keyOf(name)
  return `set ${rowOf(name).env} in the environment, or ${written({ section, key: `${key}File` })} to the name of a file that holds it`
}

function fromFile(name: FileName, value: unknown, path: readonly string[], context: LayerContext): FromFile {
  const { locator, folder } = context
  const at = locator.at(path)
  const row = rowOf(name.setting)
  if (value === null) return { value: undefined, at }
  if (name.namesFile) {
    if (typeof value === 'string' && value !== '') return { value: resolveIn(value, folder), at, namesFile: true }
    locator.note(path, `${written(name)}: the path of a file is needed`)
    return { value: undefined, at }
  }
  for (const secret of secretsIn(name, value)) locator.note([...path, ...secret.path], secret.message)
  const parsed = row.schema.safeParse(value)
  for (const issue of parsed.success ? [] : zodIssues(parsed.error)) {
    const field = [written(name), ...issue.path].join('.')
    const slip = issue.unknownKey === true ? didYouMean(String(issue.path.at(-1)), fieldNames(name.setting)) : ''
    locator.note(
      [...path, ...issue.path],
      `${field}: ${plainMessage(issue.message)}${slip}${givenText(value, issue.path)}`,
    )
  }
  if (!parsed.success) return { value: undefined, at }
  return { value: row.path === true && typeof value === 'string' ? resolveIn(value, folder) : value, at }
}

/** Finds each secret inside a value that is not a secret itself: logins in addresses, and secret headers. */
function secretsIn(name: FileName, value: unknown): { path: (string | number)[]; message: string }[] {
  const { env, secret } = rowOf(name.setting)
  if (typeof value === 'string' && hasLogin(value)) {
    const way = secret === undefined ? `set ${env} in the environment` : secretReplacement(name.setting)
    return [{ path: [], message: `${written(name)} holds a password, which this file must not contain: ${way}` }]
  }
  const levels: [(string | number)[], unknown][] = Array.isArray(value)
    ? value.map((rule: unknown, index) => [[index, 'options'], isMap(rule) ? rule['options'] : null])
    : [[[], value]]
  return levels.flatMap(([path, options]) =>
    secretHeaders(options).map((header) => ({
      path: [...path, 'headers', header],
      message: `the header ${header} is a secret, which this file must not contain: set ${env} in the environment`,
    })),
  )
}

/** Text of the value at the path, if it is short and informative. */
function givenText(value: unknown, path: readonly (string | number)[]): string {
  if (path.length > 0 || (typeof value !== 'string' && typeof value !== 'number')) return ''
  return ` (given: ${redactLogin(String(value))})`
}

/** Resolves a path of the settings file to an absolute one; addresses and `-` stay unchanged. */
function resolveIn(path: string, folder: string): string {
  if (path.startsWith('urls:')) return `urls:${resolveIn(path.slice('urls:'.length), folder)}`
  if (path === '-' || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return path
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1))
  return resolve(folder, path)
}

/** Locates keys in the settings file and collects the problems found there. */
interface FileLocator {
  /** `sluice.yaml:12`: the line of a key, or of the innermost present part of its path. */
  at(path: readonly (string | number)[]): string
  note(path: readonly (string | number)[], message: string): void
  /** Records a key without effect. */
  warn(path: readonly (string | number)[], message: string): void
}

/** Problems and warnings of a file, each as `sluice.yaml:12: what is wrong`. */
interface FileNotes {
  readonly problems: string[]
  readonly warnings: string[]
}

/** `name` is the file's name in the notes. */
function locatorIn(document: Document, lines: LineCounter, name: string, notes: FileNotes): FileLocator {
  const at = (path: readonly (string | number)[]): string => `${name}:${lineOf(document, lines, path)}`
  return {
    at,
    note: (path, message) => void notes.problems.push(`${at(path)}: ${message}`),
    warn: (path, message) => void notes.warnings.push(`${at(path)}: ${message}`),
  }
}

/** Line of a key, or of an item for a list. A missing key takes the line of its parent. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const offset = offsetIn(parent, path[length - 1])
    if (offset !== null) return lines.linePos(offset).line
  }
  return 1
}

interface Ranged {
  readonly range?: readonly [number, number, number] | null
}
interface Items {
  readonly items?: readonly ((Ranged & { readonly key?: (Ranged & { readonly value?: unknown }) | null }) | null)[]
}

function offsetIn(parent: unknown, step: string | number | undefined): number | null {
  const items = (parent as Items | null | undefined)?.items ?? []
  const item = typeof step === 'number' ? items[step] : items.find((pair) => String(pair?.key?.value) === step)
  return item?.key?.range?.[0] ?? item?.range?.[0] ?? null
}

/** True for an object with named fields in JSON or YAML. */
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
