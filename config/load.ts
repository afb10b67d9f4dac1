import type { z } from 'zod'
import { SETTINGS, type SettingName, type Settings } from './settings.ts'
import type { Setting } from './setting.ts'

/** What the command line gave, by setting name; text, or true and false for a flag without a value. */
export type Flags = Readonly<Partial<Record<SettingName, string | boolean>>>

export type Loaded =
  | { readonly ok: true; readonly settings: Settings }
  /** Every mistake at once, one sentence each. */
  | { readonly ok: false; readonly problems: readonly string[] }

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** `maxCredits` → `max-credits`. */
export const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * The only reader of the environment. Flags win over the environment, that over the settings file, that over the
 * defaults; an empty variable counts as unset.
 */
export function loadSettings(
  flags: Flags,
  file: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Loaded {
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const name of SETTING_NAMES) {
    const setting: Setting<unknown> = SETTINGS[name]
    const { value, from } = valueOf(name, setting, flags, file, env)
    const parsed = setting.schema.safeParse(value)
    if (parsed.success) settings[name] = parsed.data
    else problems.push(...problemsOf(from, parsed.error, setting.secret !== undefined ? undefined : value))
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, settings: Object.freeze(settings) as Settings }
}

function valueOf(
  name: SettingName,
  setting: Setting<unknown>,
  flags: Flags,
  file: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: unknown; readonly from: string } {
  const given = flags[name]
  if (given !== undefined) {
    return { value: typeof given === 'string' ? setting.fromText(given) : given, from: `--${flagOf(name)}` }
  }
  const variable = env[setting.env]
  if (variable !== undefined && variable !== '') return { value: setting.fromText(variable), from: setting.env }
  return { value: file[name], from: name }
}

function problemsOf(from: string, error: z.ZodError, value: unknown): string[] {
  return error.issues.map((issue) => {
    const path = [from, ...issue.path.map(String)].join('.')
    const shown = typeof value === 'string' || typeof value === 'number' ? ` (given: ${String(value)})` : ''
    return `${path}: ${issue.message}${shown}`
  })
}
