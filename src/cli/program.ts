import { Command, Help, type HelpConfiguration, Option } from 'commander'
import { ignoresHangUp } from '#config/environment.ts'
import { flagOf, longFlagOf } from '#config/flag-name.ts'
import { packageVersion } from '#config/package-version.ts'
import { REMOVED_SETTINGS } from '#config/removed-settings.ts'
import { COMMANDS } from './commands.ts'
import { reportError, reportUncaught, reportWarnings } from './print/errors.ts'
import { hasManySettings, isRare, settingOf } from './session/option-settings.ts'
import { oneLine } from './print/format.ts'
import { screen } from './print/screen.ts'

/** Runs the command line of this process, and sets its exit code. */
export async function start(): Promise<void> {
  reportUncaught()
  reportWarnings()
  if (ignoresHangUp()) process.on('SIGHUP', () => undefined)
  try {
    const words = wordsOf(process.argv.slice(2))
    const program = await createProgram(words)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

/** Help for an unknown command becomes that command: commander would print the list without an error. */
function wordsOf(given: readonly string[]): readonly string[] {
  const [first, name] = given
  if (first !== 'help' || name === undefined || name.startsWith('-')) return given
  return COMMANDS.some((command) => command.name === name) || name === 'help' ? given : [name]
}

const EXAMPLES = `
Examples:
  $ sluice run ~/papers --out corpus          convert a folder
  $ sluice plan ~/papers --out corpus         what that would do and cost
  $ sluice watch ~/papers --out corpus        keep following it
  $ sluice failures --out corpus              what failed, and why
  $ sluice help run                           tasks and settings of a run

Exit codes: 0 all done, 1 usage or set-up, 2 some documents failed, 3 halted
(credits, key, budget, store), 130 stopped by hand. Documentation: README.md`

/**
 * The command line. Only the commands named in `words` load their flags; the others have a name and a description, so
 * `--help` does not load the program. `all` loads every command.
 */
export async function createProgram(words: readonly string[] | 'all'): Promise<Command> {
  const all = words.includes('--all')
  const program = new Command('sluice')
    .configureHelp(helpOf(all))
    .description('Turn archives of documents into Markdown, pages and layout blocks: each paid for once, none lost.')
    .version(packageVersion())
    .showHelpAfterError('(add --help for a list of commands and flags)')
    .addHelpCommand(new Command('help').argument('[command]').description('help for a command').helpGroup('More:'))
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  for (const { name, group, description, load } of COMMANDS) {
    const wanted = words === 'all' || words.includes(name)
    const command = wanted ? await load(() => createProgram('all')) : new Command(name)
    command.description(description).helpGroup(group).exitOverride().configureOutput({ outputError: withHint })
    command.configureHelp(helpOf(all))
    if (!all) command.addHelpText('after', moreSettings(command))
    program.addCommand(command)
  }
  return program
}

/** Common mistakes of users of other programs, and the matching hints. */
const HINTS: readonly (readonly [mistake: RegExp, hint: string])[] = [
  [
    /^error: too many arguments for '(?:failures|render|gc|export|changes|doctor|config)'/,
    '(The command takes no source: give the store with --out, as in the run)',
  ],
  [
    /^error: too many arguments/,
    '(The command takes one source; give the output folder with --out)\n(Commas separate the values of a list: --formats markdown,html)',
  ],
  [/^error: unknown option '(?:--every|--schedule|--cron)/, '(Only watch has a schedule: sluice watch --every)'],
  [/^error: unknown option '--(?:rescan|stable|poll|sqs-queue|events-)/, '(Only watch has this flag: sluice watch)'],
  [/^error: unknown option '--remove-strays/, '(The flag is called --remove-orphans)'],
  [/^error: unknown option '(?:-k|--key|--api-key|--token)'/, '(Did you mean --parse-api-key?)'],
  [/^error: unknown option '(?:--url|--api-url|--endpoint)'/, '(Did you mean --parse-api-url?)'],
  [/^error: unknown option '(?:-o|--o\w*|--dest\w*|--target|--to)'/, '(Did you mean --out?)'],
]

/** Hint for the flag of a setting from an earlier release. */
function removedHint(text: string): string | undefined {
  const [, flag = ''] = /^error: unknown option '--([\w-]+)/.exec(text) ?? []
  const found = Object.entries(REMOVED_SETTINGS).find(([setting]) => {
    const name = setting.replace('.', '-')
    return flag === flagOf(name) || flag === longFlagOf(name)
  })
  return found && `(--${flag} was removed: ${found[1]})`
}

/** Example values for placeholders that are none. */
const EXAMPLE_VALUES: Readonly<Record<string, string>> = {
  'folder or bucket': 'corpus',
  folder: 'corpus',
  globs: "'*.pdf,private'",
  number: '10',
  duration: '10m',
  url: 'https://parse.example.com',
}

/** Hint for a flag without its value: with an example, from the choices of its placeholder if it has some. */
function valueHint(text: string): string | undefined {
  const [, flag, placeholder = ''] =
    /^error: option '(?:-\w, )?(--[\w-]+) <([^>]+)>' argument (?:missing|.* is invalid\. It is another flag)/.exec(
      text,
    ) ?? []
  if (flag === undefined) return undefined
  const [choice = ''] = placeholder.split('|')
  const example = EXAMPLE_VALUES[placeholder] ?? choice.split(',').slice(0, 2).join(',')
  return `(${flag} needs a value, such as ${flag} ${example}; --help describes it)`
}

function withHint(text: string, write: (text: string) => void): void {
  const hint = HINTS.find(([mistake]) => mistake.test(text))?.[1] ?? removedHint(text) ?? valueHint(text)
  const message = hint === undefined || text.includes(hint) ? text : `${text.trimEnd()}\n${hint}\n`
  // If the log is the output, a mistake of the command line is a line of it.
  if (screen.isLog) screen.print(`sluice: ${oneLine(message)}`, {}, 'error')
  else write(message)
}

/** Widest term that shares its line with a description. */
const TERM_COLUMNS = 26

/** Help of 80 columns, or of a narrower terminal. `all` also lists rare settings, under headings. */
function helpOf(all: boolean): HelpConfiguration {
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
      const line = (head: string): string => usual.formatItem.call(helper, head, width, description, helper)
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

/** Hint to the settings that short help omits. */
const moreSettings = (command: Command): string =>
  hasManySettings(command.options)
    ? `\nAll settings, each with its environment variable: sluice ${command.name()} --help --all\nReference, with the names in sluice.yaml: docs/reference/settings.md`
    : ''
