import { type Command, InvalidArgumentError, Option } from 'commander'
import picomatch from 'picomatch'
import { durationText } from '#config/duration.ts'
import { flagOf, longFlagOf } from '#config/flag-name.ts'
import type { Flags } from '#config/load.ts'
import { type Configuration, readConfiguration } from '#config/read-config.ts'
import type { Setting } from '#config/setting.ts'
import { type SettingName, SETTINGS, type Settings } from '#config/settings.ts'
import { UsageError } from '../print/errors.ts'
import { count } from '../print/format.ts'
import { noteSetting, settingOf } from './option-settings.ts'
import { groupOf } from './run-settings.ts'
import { screen } from '../print/screen.ts'

/** The settings of a command's flags, by the names of their values in the command. */
const settingsOf = (command: Command): ReadonlyMap<string, SettingName> =>
  new Map(
    command.options.flatMap((option) => {
      const name = settingOf(option)
      return name === undefined ? [] : [[option.attributeName(), name] as const]
    }),
  )

/** Parses a number for an option of one command; refuses others in one sentence. */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`${flag} takes a whole number from ${least} to ${count(most)}, not "${text}"`)
}

/** Collects the values of a repeatable option. */
export const collect = (value: string, values: readonly string[]): readonly string[] => [...values, value]

/** Matches keys of documents by the globs of `--key`; null without one. A glob without `/` matches the file name. */
export function keyMatcher(globs: readonly string[]): ((key: string) => boolean) | null {
  const matches = globs.map((glob) => picomatch(glob, { dot: true, basename: !glob.includes('/') }))
  return matches.length === 0 ? null : (key) => matches.some((match) => match(key))
}

/**
 * Adds one flag per setting to a command, with the help text of the settings table. Removes `without` from the names:
 * `enginePort` is `--port` of `sluice engine`.
 */
export function addSettings(command: Command, names: readonly SettingName[], without = ''): Command {
  for (const name of names) addFlags(command, name, without)
  command.optionsGroup('Settings file:')
  command.option('--config <file>', 'settings file (default: ./sluice.yaml) [SLUICE_CONFIG]')
  command.option('--no-config', 'ignore the settings file')
  return command
}

/**
 * Accepts flags that a command neither uses nor lists: one line of flags serves all commands about a source. The
 * command still validates them.
 */
export function acceptSettings(command: Command, names: readonly SettingName[]): Command {
  const offered = new Set(settingsOf(command).values())
  for (const name of names) if (!offered.has(name)) addFlags(command, name, '', false)
  return command.addHelpText('after', '\nThe other flags of `run` are accepted and ignored.')
}

function addFlags(command: Command, name: SettingName, without: string, isListed = true): void {
  const option = optionOf(name, flagOf(shortName(name, without)))
    .helpGroup(groupOf(name))
    .hideHelp(!isListed)
  const setting = { name, isRare: SETTINGS[name].common !== true }
  noteSetting(option, setting)
  command.addOption(option)
  if (SETTINGS[name].placeholder !== null) option.argParser(parserOf(SETTINGS[name]))
  if (SETTINGS[name].duration !== true) return
  const alias = new Option(`--${longFlagOf(shortName(name, without))} <duration>`).hideHelp()
  noteSetting(alias, setting)
  command.addOption(alias)
}

/** Values of a repeated list flag are joined to the comma-separated text of one. */
function parserOf({ repeatable, duration, secret }: Setting<unknown>) {
  return (text: string, before: string | undefined): string => {
    if (secret === undefined && text.startsWith('--')) throw new InvalidArgumentError(`It is another flag.`)
    if (duration === true) return withUnit(text)
    return repeatable === true && before !== undefined ? `${before},${text}` : text
  }
}

/** A small number without a unit meant seconds and would be milliseconds: the command asks for a unit. */
function withUnit(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) return text
  throw new InvalidArgumentError(`A duration needs a unit: ${text}s for seconds, ${text}ms for milliseconds.`)
}

function shortName(name: string, without: string): string {
  if (without === '' || !name.startsWith(without)) return name
  const rest = name.slice(without.length)
  return rest.charAt(0).toLowerCase() + rest.slice(1)
}

/** A flag that is on by default gets a `--no-…` twin instead, the convention of command lines. */
function optionOf(name: SettingName, flag: string): Option {
  const setting: Setting<unknown> = SETTINGS[name]
  const unit = setting.unit === undefined ? '' : `, in ${setting.unit}`
  const standard = setting.schema.safeParse(undefined).data
  const repeatable = setting.repeatable === true ? '; repeatable' : ''
  const about = `${setting.doc}${unit}${repeatable} [${setting.env}]`
  if (setting.placeholder !== null) {
    const computed =
      setting.duration === true && typeof standard === 'number' ? durationText(standard) : shownDefault(standard)
    const shown = setting.standard ?? computed
    return new Option(`--${flag} <${setting.placeholder}>`, shown === null ? about : `${about} (default: ${shown})`)
  }
  if (standard !== true) return new Option(`--${flag}`, about)
  const negated = setting.negated === undefined ? `do not ${about}` : `${setting.negated} [${setting.env}]`
  return new Option(`--no-${flag}`, negated)
}

function shownDefault(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

/** Flags typed on the command line: commander's default (`true` for a `--no-…` flag) does not count. */
export function givenFlags(command: Command): Flags {
  const settings = settingsOf(command)
  const given: [SettingName, string | boolean][] = []
  for (const [attribute, value] of Object.entries(command.opts<Record<string, string | boolean>>())) {
    const name = settings.get(attribute)
    if (name !== undefined && command.getOptionValueSource(attribute) !== 'default') given.push([name, value])
  }
  return Object.fromEntries(given)
}

/**
 * A problem with a setting, under the name of its flag at this command: `enginePort` is `--port` of `sluice engine`.
 */
function asTyped(command: Command, problem: string): string {
  const longs = new Map(command.options.map((option) => [option.attributeName(), option.long]))
  for (const [attribute, name] of settingsOf(command)) {
    const usual = `--${flagOf(name)}`
    const isHere = command.options.some(({ long }) => long === usual)
    if (!isHere && problem.startsWith(`${usual}:`)) return `${longs.get(attribute)}${problem.slice(usual.length)}`
  }
  return problem
}

interface ConfigOption {
  readonly config?: string | false
}

/** Flags override environment, settings file and defaults, in this order; all mistakes are reported together. */
export async function readConfig(command: Command): Promise<Configuration> {
  const { config } = command.opts<ConfigOption>()
  const flags = givenFlags(command)
  const read = await readConfiguration(config === undefined ? { flags } : { flags, config })
  if (read.ok) {
    for (const warning of read.configuration.warnings) screen.print(`warning: ${warning}`)
    return read.configuration
  }
  throw unusable(read.problems.map((problem) => asTyped(command, problem)))
}

/** Like `readConfig`, for a command without pipelines. */
export async function readSettings(command: Command): Promise<Settings> {
  return (await readConfig(command)).settings
}

export const unusable = (problems: readonly string[]): UsageError =>
  new UsageError(`these settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
