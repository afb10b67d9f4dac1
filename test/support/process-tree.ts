import { readFile } from 'node:fs/promises'
import type { RunningSluice } from './sluice.ts'

/** Ids of the live children of a process. Linux only. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The arguments of a process; empty when it is gone. */
export async function commandLine(pid: number): Promise<readonly string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1)
}

/** The variables that a process was started with; empty when it is gone. */
export async function environmentOf(pid: number): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  const pairs = text.split('\0').filter(Boolean)
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** The embedded engine of a run, or null while it has none. */
export async function engineOf(run: number): Promise<number | null> {
  for (const pid of await childrenOf(run)) {
    if ((await commandLine(pid)).some((part) => /\/engine\.[jt]s$/.test(part))) return pid
  }
  return null
}

/** Kills the embedded engine of a process each time that it has started, until this is disposed of. */
export function killEachEngine({ child }: RunningSluice): Disposable {
  const timer = setInterval(async () => {
    const pid = child.pid === undefined ? null : await engineOf(child.pid)
    if (pid !== null) process.kill(pid, 'SIGKILL')
  }, 20)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Whether a process is stopped, as SIGSTOP does it. */
export async function isStopped({ child }: RunningSluice): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => ''))
}
