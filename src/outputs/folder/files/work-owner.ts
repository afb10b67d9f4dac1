import { randomBytes } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/**
 * Owner mark: `<host>~<pid>~<start of the process>~<random>`. The names of work items start with it, so `recover` on
 * one machine leaves alone the work of a live worker, here or elsewhere.
 */
export async function ownerMark(): Promise<string> {
  const host = `${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-')}${await processNamespace()}`
  return [host, process.pid, await processStart(process.pid), randomBytes(4).toString('hex')].join('~')
}

/**
 * Process ids are ambiguous across PID namespaces, and containers may share a host name. Without the namespace, a live
 * process of another container would count as gone. Empty on a system without namespaces.
 */
async function processNamespace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '')
  const [, inode] = /\[(\d+)\]/.exec(link) ?? []
  return inode === undefined ? '' : `.pid-${inode}`
}

/** Scope of a process id: one boot of one machine, and one PID namespace. Null if neither is known. */
export async function pidSpace(): Promise<string | null> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null)
  return boot === null ? null : `${boot.trim()}${await processNamespace()}`
}

/** Marks of earlier releases lack the namespace; then the host alone decides. */
const withoutNamespace = (host: string): string => host.replace(/\.pid-\d+$/, '')

/** Timeout: an unreachable machine counts as gone after its work stayed untouched for this time. */
const OWNER_TIMEOUT_MS = 60 * 60 * 1000

/**
 * True if the owner of a piece of work is gone, which makes the work an orphan. `idleMs`: time since its last change.
 */
export async function isOwnerGone(
  mark: string,
  own: string,
  idleMs: number,
  silenceMs: number = OWNER_TIMEOUT_MS,
): Promise<boolean> {
  const [host, pid, start] = mark.split('~')
  const [ownHost = ''] = own.split('~')
  if (host !== ownHost && host !== withoutNamespace(ownHost)) return idleMs > silenceMs
  return (await processStart(Number(pid))) !== start
}

/**
 * Distinguishes a process from a later one with the same id. On Linux it is the start time; elsewhere only whether the
 * process is alive (`1` or `0`).
 */
export async function processStart(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in brackets and may contain spaces. The start is the 22nd, in ticks since boot.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
  } catch {
    return process.platform === 'linux' ? '0' : isAlive(pid)
  }
}

function isAlive(pid: number): string {
  try {
    process.kill(pid, 0)
    return '1'
  } catch {
    return '0'
  }
}
