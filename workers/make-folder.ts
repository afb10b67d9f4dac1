import { describeSystemError } from '#src/document/describe-system-error.ts'
import { makeFolder } from '#src/document/make-folder.ts'
import { SetupError } from '#src/document/setup-error.ts'

/** Makes the folder that a setting names, and those above it; the error names the setting. */
export async function madeFor(setting: string, path: string): Promise<void> {
  try {
    await makeFolder(path)
  } catch (error) {
    throw new SetupError(`${setting} ${describeSystemError(error) ?? String(error)}`, { cause: error })
  }
}
