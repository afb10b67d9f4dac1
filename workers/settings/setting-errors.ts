import { describeSystemError, listenProblem } from '#src/kit/describe-system-error.ts'
import { makeFolder } from '#src/kit/make-folder.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** Makes the folder of a setting, and its parents; the error names the setting. */
export async function makeFolderOf(setting: string, path: string): Promise<void> {
  try {
    await makeFolder(path)
  } catch (error) {
    throw new SetupError(`${setting} ${describeSystemError(error) ?? String(error)}`, { cause: error })
  }
}

/** Opens a server; if the system refuses the address, the error names its setting. */
export async function openServerOf<T>(setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const refused =
      error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))
    throw refused ? new SetupError(`${setting}: ${listenProblem(error)}`, { cause: error }) : error
  }
}
