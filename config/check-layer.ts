import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { zodIssues } from '#src/contract/check-options.ts'
import { fieldNames } from './config-schema.ts'
import { FILE_NAMES, type FileName, isSection, isShared, keyOf, rowOf, type Section, written } from './file-names.ts'
import { isMap } from './is-map.ts'
import type { FromFile, Layer } from './layer.ts'
import { plainMessage } from './plain-message.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'
import type { FileLocator } from './file-locator.ts'
import { holdsLogin, secretHeaders, withoutLogin } from './secrets.ts'
import { type SettingName, SETTINGS } from './settings.ts'
import { didYouMean } from './suggest.ts'

interface LayerContext {
  /** Where in the file the level is. */
  readonly path: readonly string[]
  readonly locator: FileLocator
  readonly folder: string
  readonly inPipeline: boolean
}

/** Reads one level of a settings file, and notes every mistake in it. */
export function checkLayer(given: Readonly<Record<string, unknown>>, context: LayerContext): Layer {
  const layer: Partial<Record<SettingName, FromFile>> = {}
  const take = (section: Section | null, key: string, value: unknown): void => {
    const path = [...context.path, ...(section === null ? [] : [section]), key]
    const known = FILE_NAMES.find((name) => name.section === section && name.key === key)
    if (known === undefined) {
      const name = written({ section, key })
      const replacement = REMOVED_SETTINGS[name]
      return replacement === undefined
        ? context.locator.note(path, unknownKey(section, key, context.inPipeline))
        : context.locator.warn(path, `the setting ${name} was removed and is ignored: ${replacement}`)
    }
    if (context.inPipeline && isShared(known.setting)) {
      return context.locator.note(
        path,
        `${written(known)} is the same for all pipelines: set it at the top of the file`,
      )
    }
    layer[known.setting] = fromFile(known, value, path, context)
  }
  for (const [key, value] of Object.entries(given)) {
    if (!isSection(key)) take(null, key, value)
    else if (isMap(value)) for (const [inner, one] of Object.entries(value)) take(key, inner, one)
    else if (value !== null) context.locator.note([...context.path, key], `${key} is a section: settings, indented`)
  }
  return layer
}

function unknownKey(section: Section | null, key: string, inPipeline: boolean): string {
  const secret = (Object.keys(SETTINGS) as SettingName[]).find((name) => {
    const at = keyOf(name)
    return rowOf(name).secret !== undefined && ((at.section === section && at.key === key) || name === key)
  })
  const name = written({ section, key })
  if (secret !== undefined) return `${name} is a secret, and those do not belong in this file: ${instead(secret)}`
  if (/(access|secret).*key|password|credential/i.test(key)) {
    return `${name}: secrets do not belong in this file; keys of buckets come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the shared files of AWS or the machine's role`
  }
  const known = FILE_NAMES.filter(({ setting }) => !inPipeline || !isShared(setting)).map(written)
  return `there is no setting "${name}"${didYouMean(name, [inPipeline ? 'source' : 'pipelines', ...known])}`
}

function instead(name: SettingName): string {
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
    locator.note(path, `${written(name)} is the name of a file`)
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

/** Each secret in a value that is none as a whole: logins in addresses, and headers that open doors. */
function secretsIn(name: FileName, value: unknown): { path: (string | number)[]; message: string }[] {
  const { env, secret } = rowOf(name.setting)
  if (typeof value === 'string' && holdsLogin(value)) {
    const way = secret === undefined ? `set ${env} in the environment` : instead(name.setting)
    return [{ path: [], message: `${written(name)} holds a password, and those do not belong in this file: ${way}` }]
  }
  const levels: [(string | number)[], unknown][] = Array.isArray(value)
    ? value.map((rule: unknown, index) => [[index, 'options'], isMap(rule) ? rule['options'] : null])
    : [[[], value]]
  return levels.flatMap(([path, options]) =>
    secretHeaders(options).map((header) => ({
      path: [...path, 'headers', header],
      message: `the header ${header} is a secret, and those do not belong in this file: set ${env} in the environment`,
    })),
  )
}

/** What stands at the path, where it is short and says something. */
function givenText(value: unknown, path: readonly (string | number)[]): string {
  if (path.length > 0 || (typeof value !== 'string' && typeof value !== 'number')) return ''
  return ` (given: ${withoutLogin(String(value))})`
}

/** A path of the settings file as an absolute one; addresses and `-` stay as they are. */
export function resolveIn(path: string, folder: string): string {
  if (path.startsWith('urls:')) return `urls:${resolveIn(path.slice('urls:'.length), folder)}`
  if (path === '-' || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return path
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1))
  return resolve(folder, path)
}
