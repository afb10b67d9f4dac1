import { createProgram } from './program.ts'
import { reportError, reportUncaught } from './report-error.ts'

/** Runs the command line of this process, and sets its exit code. */
export async function start(): Promise<void> {
  reportUncaught()
  try {
    const program = await createProgram(process.argv.slice(2))
    await program.parseAsync()
  } catch (error) {
    process.exitCode = reportError(error)
  }
}
