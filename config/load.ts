import { readFileSync } from 'node:fs'
import { type OptionIssue, zodIssues } from '@sluice/contract'
import { type Environment, environment } from './environment.ts'
import { flagOf } from './flag-name.ts'
import { redactLogin } from './secrets.ts'
import type { Setting } from './setting.ts'
import { type SettingName, SETTINGS, type Settings } from './settings.ts'

/** A value from a settings file. */
export interface FromFile {
  /** Already validated. `undefined` if the file has `null`, which resets the setting to its default. */
  readonly value: unknown
  /** `sluice.yaml:12`. */
  readonly at: string
  /** `value` is the path of a file that holds the setting's value. */
  readonly namesFile?: true
}

/** Values of one level of a settings file. */
export type Layer = Readonly<Partial<Record<SettingName, FromFile>>>

/** A pipeline of the settings file: one path from a source into a store. */
export interface Pipeline {
  readonly name: string
  readonly source: string
  /** Position of its source in the file. */
  readonly at: string
  readonly layer: Layer
}

/** Values of the command line by setting name: text, or a boolean for a flag without a value. */
export type Flags = Readonly<Partial<Record<SettingName, string | boolean>>>

/** Origin of a setting's value. */
export type Origin =
  | { readonly from: 'flag' | 'environment'; readonly name: string; readonly inFile?: string }
  /** `at`: `sluice.yaml:12`. `inFile`: the named file holds the value. */
  | { readonly from: 'file'; readonly at: string; readonly inFile?: string }
  | { readonly from: 'default' }

export type Origins = Readonly<Record<SettingName, Origin>>

export type Loaded =
  | { readonly ok: true; readonly settings: Settings; readonly origins: Origins }
  /** All mistakes at once, one sentence each. */
  | { readonly ok: false; readonly problems: readonly string[] }

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/**
 * Merges the settings. Precedence: flags, environment, settings file, defaults; an empty variable counts as unset. A
 * secret may be in a file that the settings file or its variable with the suffix `_FILE` names.
 */
export function loadSettings(flags: Flags, file: Layer = {}, env: Environment = environment()): Loaded {
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  const origins: Partial<Record<SettingName, Origin>> = {}
  for (const name of SETTING_NAMES) {
    const setting: Setting<unknown> = SETTINGS[name]
    const found = find(name, setting, flags, file[name], env)
    origins[name] = found.origin
    if ('problem' in found) {
      problems.push(found.problem)
      continue
    }
    const parsed = setting.schema.safeParse(found.value)
    if (parsed.success) settings[name] = parsed.data
    else {
      const given = setting.secret === undefined ? found.value : undefined
      for (const issue of zodIssues(parsed.error)) problems.push(problemOf(nameOf(found.origin, name), issue, given))
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, settings: Object.freeze(settings) as Settings, origins: origins as Origins }
}

/**
 * Describes a problem under the name that the user typed. It shows the item of a list, and names text that is not JSON.
 */
function problemOf(name: string, { path, message }: OptionIssue, given: unknown): string {
  const [index] = path
  if (path.length === 1 && typeof index === 'number' && Array.isArray(given)) {
    const item: unknown = given[index]
    if (typeof item === 'string') return `${name}: ${plainMessage(message)}${shownText(item)}`
  }
  const needsJson = typeof given === 'string' && /expected (?:object|array|record)\b/.test(message)
  const plain = needsJson ? 'JSON is needed, with double quotes around names and texts' : plainMessage(message)
  return `${[name, ...path].join('.')}: ${plain}${shownText(given)}`
}

type Found = { readonly origin: Origin } & ({ readonly value: unknown } | { readonly problem: string })

function find(
  name: SettingName,
  setting: Setting<unknown>,
  flags: Flags,
  file: FromFile | undefined,
  env: Environment,
): Found {
  const flag = flags[name]
  if (flag !== undefined) {
    const origin = { from: 'flag', name: `--${flagOf(name)}` } as const
    if (setting.path === true && typeof flag === 'string' && flag.trim() === '') {
      return { problem: `${origin.name} is empty: check the shell variable that holds it`, origin }
    }
    return { value: typeof flag === 'string' ? setting.fromText(flag) : flag, origin }
  }
  const variable = env[setting.env]
  if (variable !== undefined && variable !== '') {
    return { value: setting.fromText(variable), origin: { from: 'environment', name: setting.env } }
  }
  const named = setting.secret === undefined ? undefined : env[`${setting.env}_FILE`]
  if (named !== undefined && named !== '') {
    return contentOf(named, setting, { from: 'environment', name: `${setting.env}_FILE`, inFile: named })
  }
  if (file === undefined) return { value: undefined, origin: { from: 'default' } }
  if (file.namesFile !== true) return { value: file.value, origin: { from: 'file', at: file.at } }
  const path = String(file.value)
  return contentOf(path, setting, { from: 'file', at: file.at, inFile: path })
}

function contentOf(path: string, setting: Setting<unknown>, origin: Exclude<Origin, { from: 'default' }>): Found {
  const named = `${origin.from === 'file' ? origin.at : origin.name}: the file ${path}`
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content !== '') return { value: setting.fromText(content), origin }
    return { problem: `${named} is empty`, origin }
  } catch (error) {
    return { problem: `${named} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, origin }
  }
}

const nameOf = (origin: Origin, name: SettingName): string => {
  if (origin.from === 'default') return name
  return origin.from === 'file' ? `${origin.at}: ${name}` : origin.name
}

function shownText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? ` (given: ${redactLogin(String(value))})` : ''
}

/** Messages of the schema library and their plain replacements. */
const PLAIN: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^Invalid input: expected int\b.*$/, () => 'a whole number is needed'],
  [/^Invalid input: expected number\b.*$/, () => 'a number is needed'],
  [/^Invalid input: expected boolean\b.*$/, () => 'true or false is needed'],
  [/^Invalid input: expected string\b.*$/, () => 'a text is needed'],
  [/^Invalid input: expected (?:object|record)\b.*$/, () => 'a map of names to values is needed'],
  [/^Invalid input: expected array\b.*$/, () => 'a list is needed, such as ["a", "b"]'],
  [/^Too small: expected number to be >=(\S+)$/, (least = '') => `it must be ${least} or more`],
  [/^Too small: expected number to be >(\S+)$/, (least = '') => `it must be more than ${least}`],
  [/^Too big: expected number to be <=(\S+)$/, (most = '') => `it must be ${most} or less`],
  [/^Too small: expected string .*$/, () => 'it is empty'],
  [
    /^Invalid option: expected one of (.+)$/,
    (values = '') => `it must be one of ${values.replaceAll('"', '').split('|').join(', ')}`,
  ],
]

/** Translates the message of a schema into plain words; a message for people stays unchanged. */
export function plainMessage(message: string): string {
  for (const [pattern, say] of PLAIN) {
    const found = pattern.exec(message)
    if (found !== null) return say(...found.slice(1))
  }
  return message
}
