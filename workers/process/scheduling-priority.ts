import { writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'

/**
 * Gives a program that runs in a session of its own the priority of this process. With the kernel's autogroup scheduling
 * a nice value only counts within a session: a new session competes as a whole, at the normal priority, however nice
 * the process is that opened it. Elsewhere than on Linux, and where autogroups are off, a child inherits all there is.
 */
export async function sharePriority(pid: number | undefined): Promise<void> {
  if (pid === undefined || process.platform !== 'linux') return
  await writeFile(`/proc/${pid}/autogroup`, String(getPriority())).catch(() => undefined)
}
