import { type Command, InvalidArgumentError, Option } from 'commander'
import { durationText } from '#config/duration.ts'
import { flagOf, longFlagOf } from '#config/flag-name.ts'
import type { Flags } from '#config/load.ts'
import { type Configuration, readConfiguration } from '#config/read-config.ts'
import { type SettingName, SETTINGS, type Settings } from '#config/settings.ts'
import { UsageError } from '../print/errors.ts'
import { count } from '../print/format.ts'
import { noteSetting, settingOf } from './option-settings.ts'
import { groupOf } from './run-settings.ts'
import { screen } from '../print/screen.ts'

/** The settings of a command's flags, by the names that their values have there. */
const settingsOf = (command: Command): ReadonlyMap<string, SettingName> =>
  new Map(
    command.options.flatMap((option) => {
      const name = settingOf(option)
      return name === undefined ? [] : [[option.attributeName(), name] as const]
    }),
  )

/** A number that an option of one command takes; refused in one sentence. */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`${flag} takes a whole number from ${least} to ${count(most)}, not "${text}"`)
}

/** Of an option that may be given several times. */
export const collect = (value: string, values: readonly string[]): readonly string[] => [...values, value]

/**
 * Gives a command one flag a setting, with the help text of the settings table. `without` is left out of the names:
 * `enginePort` is `--port` of `sluice engine`.
 */
export function addSettings(command: Command, names: readonly SettingName[], without = ''): Command {
  for (const name of names) addFlags(command, name, without)
  command.optionsGroup('Settings file:')
  command.option('--config <file>', 'settings file (default: sluice.yaml here) [SLUICE_CONFIG]')
  command.option('--no-config', 'leave the settings file alone')
  return command
}

/**
 * Lets a command take flags that it does not use, and does not list, so that one line of flags serves all commands about a
 * source. They are checked as everywhere.
 */
export function acceptSettings(command: Command, names: readonly SettingName[]): Command {
  const offered = new Set(settingsOf(command).values())
  for (const name of names) if (!offered.has(name)) addFlags(command, name, '', false)
  return command.addHelpText('after', '\nThe other flags of `run` are accepted too, and make no difference here.')
}

function addFlags(command: Command, name: SettingName, without: string, isListed = true): void {
  const option = optionOf(name, flagOf(shortName(name, without)))
    .helpGroup(groupOf(name))
    .hideHelp(!isListed)
  const setting = { name, isRare: SETTINGS[name].common !== true }
  noteSetting(option, setting)
  command.addOption(option)
  if (SETTINGS[name].duration !== true) return
  option.argParser(withUnit)
  const alias = new Option(`--${longFlagOf(shortName(name, without))} <duration>`).hideHelp()
  noteSetting(alias, setting)
  command.addOption(alias)
}

/** A small number without a unit was meant in seconds and would be milliseconds: it is asked for. */
function withUnit(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) return text
  throw new InvalidArgumentError(`A unit is needed: ${text}s for seconds, ${text}ms for milliseconds.`)
}

function shortName(name: string, without: string): string {
  if (without === '' || !name.startsWith(without)) return name
  const rest = name.slice(without.length)
  return rest.charAt(0).toLowerCase() + rest.slice(1)
}

/** A flag that is on by default gets a `--no-…` twin instead, as people expect of a command line. */
function optionOf(name: SettingName, flag: string): Option {
  const setting = SETTINGS[name]
  const unit = setting.unit === undefined ? '' : `, in ${setting.unit}`
  const standard = setting.schema.safeParse(undefined).data
  const about = `${setting.doc}${unit} [${setting.env}]`
  if (setting.placeholder !== null) {
    const computed =
      setting.duration === true && typeof standard === 'number' ? durationText(standard) : shownDefault(standard)
    const shown = setting.standard ?? computed
    return new Option(`--${flag} <${setting.placeholder}>`, shown === null ? about : `${about} (default: ${shown})`)
  }
  return standard === true ? new Option(`--no-${flag}`, `do not ${about}`) : new Option(`--${flag}`, about)
}

function shownDefault(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

/** What the command line really gave: commander's own default (`true` for a `--no-…` flag) is no flag. */
export function givenFlags(command: Command): Flags {
  const settings = settingsOf(command)
  const given: [SettingName, string | boolean][] = []
  for (const [attribute, value] of Object.entries(command.opts<Record<string, string | boolean>>())) {
    const name = settings.get(attribute)
    if (name !== undefined && command.getOptionValueSource(attribute) !== 'default') given.push([name, value])
  }
  return Object.fromEntries(given)
}

/** A problem with a setting, under the name that its flag has at this command: `enginePort` is `--port` of `sluice engine`. */
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

/** Flags over environment over settings file over defaults; all mistakes are reported together. */
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

/** As `readConfig`, for a command that has nothing to do with pipelines. */
export async function readSettings(command: Command): Promise<Settings> {
  return (await readConfig(command)).settings
}

export const unusable = (problems: readonly string[]): UsageError =>
  new UsageError(`these settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
