import { SETTINGS, type SettingName } from './settings.ts'
import type { Setting } from './setting.ts'

/*
 * How the settings file writes the names of the table. A setting stands under its own name, `maxCredits: 100`, or in the
 * section of what it is about: `engineProcesses` is `processes` under `engine`. A secret is never in the file; the name
 * of a file that holds it may be: `parseApiKeyFile`.
 */

const SECTIONS = ['engine', 's3', 'events'] as const
export type Section = (typeof SECTIONS)[number]

/** What a key of the settings file is about. */
export interface FileName {
  readonly setting: SettingName
  readonly section: Section | null
  /** Inside the section where there is one. */
  readonly key: string
  /** The key names a file that holds the value. */
  readonly namesFile: boolean
}

/** The row of a setting, whatever its type. */
export const rowOf = (name: SettingName): Setting<unknown> => SETTINGS[name]

/** Everything that may stand in a settings file, secrets left out. */
export const FILE_NAMES: readonly FileName[] = (Object.keys(SETTINGS) as SettingName[]).flatMap((setting) => {
  const { secret } = rowOf(setting)
  const plain = { ...keyOf(setting), setting, namesFile: false }
  if (secret === undefined) return [plain]
  const inFile = { ...plain, key: `${plain.key}File`, namesFile: true }
  return secret === 'login' ? [plain, inFile] : [inFile]
})

/** As it is written in messages: `maxCredits`, `engine.processes`. */
export const written = ({ section, key }: Pick<FileName, 'section' | 'key'>): string =>
  section === null ? key : `${section}.${key}`

/** Where a setting stands, or would stand if it were no secret. */
export function keyOf(name: SettingName): Pick<FileName, 'section' | 'key'> {
  const section = SECTIONS.find((prefix) => name.startsWith(prefix) && /^[A-Z]/.test(name.slice(prefix.length)))
  if (section === undefined) return { section: null, key: name }
  const rest = name.slice(section.length)
  return { section, key: rest.charAt(0).toLowerCase() + rest.slice(1) }
}

export const isSection = (key: string): key is Section => (SECTIONS as readonly string[]).includes(key)

/** The same for all pipelines of a process. */
export const isShared = (name: SettingName): boolean =>
  rowOf(name).scope === 'process' || keyOf(name).section === 'engine'
