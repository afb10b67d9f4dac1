import { ignoresHangUp } from '#config/environment.ts'
import { COMMANDS } from './commands.ts'
import { createProgram } from './program.ts'
import { reportError, reportUncaught, reportWarnings } from './report-error.ts'

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

/** Help for a command that is not there is that command mistyped: commander would show the list without a word. */
function wordsOf(given: readonly string[]): readonly string[] {
  const [first, name] = given
  if (first !== 'help' || name === undefined || name.startsWith('-')) return given
  return COMMANDS.some((command) => command.name === name) || name === 'help' ? given : [name]
}
