import { Command } from 'commander'
import { packageVersion } from '#config/package-version.ts'
import { COMMANDS } from './commands.ts'
import { oneLine } from './format.ts'
import { helpOf, moreSettings } from './help.ts'
import { screen } from './screen.ts'

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
 * The command line. Only the commands named in `words` are loaded with their flags: the others are known by their name
 * and description, so that `--help` does not load the program. `all` loads every command.
 */
export async function createProgram(words: readonly string[] | 'all'): Promise<Command> {
  const all = words.includes('--all')
  const program = new Command('sluice')
    .configureHelp(helpOf(all))
    .description('Turn archives of documents into Markdown, pages and layout blocks: each paid for once, none lost.')
    .version(packageVersion())
    .showHelpAfterError('(--help lists what can be given)')
    .addHelpCommand(new Command('help').argument('[command]').description('help for a command').helpGroup('More:'))
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  for (const { name, group, description, load } of COMMANDS) {
    const wanted = words === 'all' || words.includes(name)
    const command = wanted ? await load() : new Command(name)
    command.description(description).helpGroup(group).exitOverride().configureOutput({ outputError: withHint })
    command.configureHelp(helpOf(all))
    if (!all) command.addHelpText('after', moreSettings(command))
    program.addCommand(command)
  }
  return program
}

/** What people type who know other programs, and what they mean here. */
const HINTS: readonly (readonly [mistake: RegExp, hint: string])[] = [
  [/^error: too many arguments/, '(One source at a time; the output folder is given with --out)'],
  [/^error: unknown option '(?:--every|--schedule|--cron)/, '(A schedule is given to watch: sluice watch --every)'],
  [/^error: unknown option '--(?:rescan|stable|poll|sqs-queue|events-)/, '(That is a flag of watch: sluice watch)'],
  [/^error: unknown option '(?:-k|--key|--api-key|--token)'/, '(Did you mean --parse-api-key?)'],
  [/^error: unknown option '(?:--url|--api-url|--endpoint)'/, '(Did you mean --parse-api-url?)'],
  [/^error: unknown option '(?:-o|--o\w*|--dest\w*|--target|--to)'/, '(Did you mean --out?)'],
]

function withHint(text: string, write: (text: string) => void): void {
  const hint = HINTS.find(([mistake]) => mistake.test(text))?.[1]
  const message = hint === undefined || text.includes(hint) ? text : `${text.trimEnd()}\n${hint}\n`
  // Where the log is the output, a mistake of the command line is a line of it.
  if (screen.isLog) screen.print(`sluice: ${oneLine(message)}`, {}, 'error')
  else write(message)
}
