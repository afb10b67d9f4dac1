import { listenProblem } from '#src/document/describe-system-error.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** Opens a server; where the system refuses the address, the error names the setting that gave it. */
export async function listening<T>(setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const refused =
      error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))
    throw refused ? new SetupError(`${setting}: ${listenProblem(error)}`, { cause: error }) : error
  }
}
