import { randomBytes } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/**
 * Names of what is under work say which process made them, so that `recover` on one machine leaves alone what a live
 * worker, here or elsewhere, is doing: `<host>~<pid>~<start of the process>~<random>`.
 */
export async function ownerMark(): Promise<string> {
  const host = `${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-')}${await processNamespace()}`
  return [host, process.pid, await startOf(process.pid), randomBytes(4).toString('hex')].join('~')
}

/**
 * Process ids mean nothing across PID namespaces, and containers may share a host name: then another's live process
 * would be searched for among ours, and count as gone. Empty where there are no namespaces.
 */
async function processNamespace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '')
  const [, inode] = /\[(\d+)\]/.exec(link) ?? []
  return inode === undefined ? '' : `.pid-${inode}`
}

/** Where a process id means something: one boot of one machine, and one PID namespace. Null where neither is known. */
export async function pidSpace(): Promise<string | null> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null)
  return boot === null ? null : `${boot.trim()}${await processNamespace()}`
}

/** Marks of earlier releases name no namespace; then the host alone decides. */
const withoutNamespace = (host: string): string => host.replace(/\.pid-\d+$/, '')

/** A machine that we cannot ask counts as gone when it has left its work untouched for this long. */
const SILENCE_MS = 60 * 60 * 1000

/** Whether the owner of a piece of work is gone, which makes it an orphan. `idleMs`: how long it was not touched. */
export async function isGone(
  mark: string,
  own: string,
  idleMs: number,
  silenceMs: number = SILENCE_MS,
): Promise<boolean> {
  const [host, pid, start] = mark.split('~')
  const [ownHost = ''] = own.split('~')
  if (host !== ownHost && host !== withoutNamespace(ownHost)) return idleMs > silenceMs
  return (await startOf(Number(pid))) !== start
}

/**
 * Tells a process from a later one with the same id. On Linux the moment of its start; elsewhere only whether it
 * lives (`1` or `0`).
 */
export async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in brackets and may hold spaces; the start is the 22nd, in ticks since boot.
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
