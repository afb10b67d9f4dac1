import { type Command, Help, type HelpConfiguration, Option } from 'commander'
import { hasManySettings, isRare, settingOf } from './flags.ts'

/** Widest term that shares its line with a description. */
const TERM_COLUMNS = 26

/** Help of 80 columns, or of a narrower terminal. `all` also lists what few users set, under headings. */
export function helpOf(all: boolean): HelpConfiguration {
  const usual = Help.prototype
  const isShort = (options: readonly unknown[]): boolean => !all && hasManySettings(options)
  return {
    helpWidth: Math.min(process.stdout.columns || 80, 80),
    minWidthToWrap: 20,
    padWidth(command, helper) {
      const terms = [
        ...helper.visibleOptions(command).map((option) => helper.optionTerm(option)),
        ...helper.visibleCommands(command).map((each) => helper.subcommandTerm(each)),
        ...helper.visibleArguments(command).map((argument) => helper.argumentTerm(argument)),
      ]
      return Math.max(0, ...terms.map((term) => term.length).filter((length) => length <= TERM_COLUMNS))
    },
    formatItem(term, width, description, helper) {
      const line = (start: string): string => usual.formatItem.call(helper, start, width, description, helper)
      return term.length <= width ? line(term) : `  ${term}\n${line('')}`
    },
    visibleOptions(command) {
      const options = usual.visibleOptions.call(this, command)
      return isShort(command.options) ? options.filter((option) => !isRare(option)) : options
    },
    optionDescription(option) {
      const text = Array.isArray(option.defaultValue) ? option.description : usual.optionDescription.call(this, option)
      return all ? text : text.replace(/ \[[A-Z][A-Z\d_]+\]/, '')
    },
    groupItems(unsorted, visible, groupOf) {
      const short = isShort(unsorted)
      const group = (item: (typeof visible)[number]): string =>
        short && item instanceof Option && settingOf(item) !== undefined ? 'Settings:' : groupOf(item)
      return Map.groupBy(visible, group)
    },
  }
}

/** Where the settings are that short help leaves out. */
export const moreSettings = (command: Command): string =>
  hasManySettings(command.options)
    ? `\nAll settings, each with its environment variable: sluice ${command.name()} --help --all\nThe same as a reference, with the names in sluice.yaml: docs/settings.md`
    : ''
