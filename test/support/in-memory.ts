import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Far more than the tests have at a time; a machine with less keeps it on its disk, where it may be slow but fits. */
const MIN_FREE_BYTES = 4 * 1024 ** 3

/**
 * Before all tests: what they write goes to a file system in memory, where the machine has one with space. They write
 * thousands of files and flush each; a disk that others use too would decide how long that takes. What a power cut
 * leaves on a disk no test can show; what a kill leaves is the same here.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const freeBytes = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  if (process.env['TMPDIR'] !== undefined || freeBytes < MIN_FREE_BYTES) return undefined
  process.env['KEPT_FOLDER'] = tmpdir()
  const folder = await mkdtemp(join(MEMORY, 'sluice-tests-'))
  // As /tmp is: some tests do something as another user.
  await chmod(folder, 0o1777)
  process.env['TMPDIR'] = folder
  // Processes that were asked to end may still be writing.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 })
}
