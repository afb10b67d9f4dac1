import { writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'

/**
 * Gives a program in a separate session the priority of this process. With the kernel's autogroup scheduling a nice
 * value applies within a session only. A new session competes at the normal priority, however nice its parent process
 * is. On other systems, and without autogroups, a child inherits the priority.
 */
export async function sharePriority(pid: number | undefined): Promise<void> {
  if (pid === undefined || process.platform !== 'linux') return
  await writeFile(`/proc/${pid}/autogroup`, String(getPriority())).catch(() => undefined)
}
