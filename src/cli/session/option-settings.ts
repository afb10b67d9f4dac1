import { Option } from 'commander'
import type { SettingName } from '#config/settings.ts'

interface OptionSetting {
  readonly name: SettingName
  /** Omitted from short help. */
  readonly isRare: boolean
}

/** Kept separate from the table of settings, which `sluice --help` does not load. */
const settings = new WeakMap<Option, OptionSetting>()

/** Records that an option gives a setting its value. */
export const noteSetting = (option: Option, setting: OptionSetting): void => void settings.set(option, setting)

export const settingOf = (option: Option): SettingName | undefined => settings.get(option)?.name

export const isRare = (option: Option): boolean => settings.get(option)?.isRare === true

const MANY_SETTINGS = 30

export const hasManySettings = (options: readonly unknown[]): boolean =>
  options.filter((option) => option instanceof Option && !option.hidden && settingOf(option) !== undefined).length >
  MANY_SETTINGS
