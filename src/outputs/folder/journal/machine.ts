import { spawn } from 'node:child_process'
import { readFile, statfs } from 'node:fs/promises'
import { release } from 'node:os'

/** Types of `statfs` of local file systems that `syncfs` flushes completely: ext2 to 4, XFS, Btrfs, F2FS, tmpfs. */
const LOCAL_TYPES: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]

/** From Linux 5.8 on, `syncfs` reports failed writes. */
const FIRST_KERNEL = [5, 8] as const

/**
 * Id of the present boot if a journal makes writes safe: on Linux, on a file system that only this machine has mounted.
 * Null elsewhere.
 */
export async function journalBoot(root: string): Promise<string | null> {
  if (process.platform !== 'linux') return null
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10))
  if (major < FIRST_KERNEL[0] || (major === FIRST_KERNEL[0] && minor < FIRST_KERNEL[1])) return null
  try {
    const { type } = await statfs(root)
    if (!LOCAL_TYPES.includes(type)) return null
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  } catch {
    return null
  }
}

/**
 * Flushes the complete file system below `path` (`sync -f` of coreutils or busybox: Node has no `syncfs`). False if
 * that is not possible, or takes longer than `limitMs`.
 */
export function syncFileSystem(path: string, limitMs: number): Promise<boolean> {
  const ended = Promise.withResolvers<boolean>()
  const child = spawn('sync', ['-f', path], { stdio: 'ignore' })
  child.unref()
  const timer = setTimeout(() => ended.resolve(false), limitMs)
  child.once('error', () => ended.resolve(false))
  child.once('exit', (code) => ended.resolve(code === 0))
  return ended.promise.finally(() => clearTimeout(timer))
}
