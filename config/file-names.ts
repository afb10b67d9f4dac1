import { SETTINGS, type SettingName } from './settings.ts'
import type { Setting } from './setting.ts'

/*
 * Maps settings to their names in the settings file. A setting has its own name, `maxCredits: 100`, or is in a section:
 * `engineProcesses` is `processes` under `engine`. The file never holds a secret, but may name the file that holds it:
 * `parseApiKeyFile`.
 */

const SECTIONS = ['engine', 's3', 'events', 'notify'] as const
export type Section = (typeof SECTIONS)[number]

/** A key of the settings file. */
export interface FileName {
  readonly setting: SettingName
  readonly section: Section | null
  /** Name inside the section if there is one. */
  readonly key: string
  /** The key names a file that holds the value. */
  readonly namesFile: boolean
}

/** Row of a setting, of any type. */
export const rowOf = (name: SettingName): Setting<unknown> => SETTINGS[name]

/** All keys that a settings file may have, without secrets. */
export const FILE_NAMES: readonly FileName[] = (Object.keys(SETTINGS) as SettingName[]).flatMap((setting) => {
  const { secret } = rowOf(setting)
  const plain = { ...keyOf(setting), setting, namesFile: false }
  if (secret === undefined) return [plain]
  const inFile = { ...plain, key: `${plain.key}File`, namesFile: true }
  return secret === 'login' ? [plain, inFile] : [inFile]
})

/** Name in messages: `maxCredits`, `engine.processes`. */
export const written = ({ section, key }: Pick<FileName, 'section' | 'key'>): string =>
  section === null ? key : `${section}.${key}`

/** Position of a setting in the file; for a secret, the position that it would have. */
export function keyOf(name: SettingName): Pick<FileName, 'section' | 'key'> {
  const section = SECTIONS.find((prefix) => name.startsWith(prefix) && /^[A-Z]/.test(name.slice(prefix.length)))
  if (section === undefined) return { section: null, key: name }
  const rest = name.slice(section.length)
  return { section, key: rest.charAt(0).toLowerCase() + rest.slice(1) }
}

export const isSection = (key: string): key is Section => (SECTIONS as readonly string[]).includes(key)

/** True if all pipelines of a process share the setting. */
export const isShared = (name: SettingName): boolean =>
  rowOf(name).scope === 'process' || keyOf(name).section === 'engine'
