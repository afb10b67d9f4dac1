import { type Command, Option } from 'commander'
import { type Flags, flagOf } from '#config/load.ts'
import { type SettingName, SETTINGS } from '#config/settings.ts'

/** Gives a command one flag a setting, with the help text of the settings table. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) for (const option of optionsOf(name)) command.addOption(option)
  return command
}

/** A flag that is on by default gets a `--no-…` twin instead, as people expect of a command line. */
function optionsOf(name: SettingName): Option[] {
  const setting = SETTINGS[name]
  const unit = setting.unit === undefined ? '' : `, in ${setting.unit}`
  const standard = setting.schema.safeParse(undefined).data
  const about = `${setting.doc}${unit} [${setting.env}]`
  if (setting.placeholder !== null) {
    const shown = shownDefault(standard)
    return [
      new Option(`--${flagOf(name)} <${setting.placeholder}>`, shown === null ? about : `${about} (default: ${shown})`),
    ]
  }
  return standard === true
    ? [new Option(`--no-${flagOf(name)}`, `do not ${about}`)]
    : [new Option(`--${flagOf(name)}`, about)]
}

function shownDefault(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** What the command line really gave: commander's own default (`true` for a `--no-…` flag) is no flag. */
export function givenFlags(command: Command): Flags {
  const given = Object.entries(command.opts<Record<string, string | boolean>>()).filter(
    ([name]) => name in SETTINGS && command.getOptionValueSource(name) !== 'default',
  )
  return Object.fromEntries(given)
}
