import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
/** `USER_HZ`, the unit of the times in /proc/<pid>/stat. 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

/** Resource usage of a process since its start. */
export interface ProcessUsage {
  /** CPU time of all its threads, ended ones included. */
  readonly ranMs: number
  /** Time that its living threads waited for a processor, ready to run. */
  readonly waitedMs: number
}

/** Returns the resident memory of a process in bytes. 0 if it has exited or the system has no /proc. */
export function residentBytes(pid: number): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]
    return Number(pages) * PAGE_BYTES
  } catch {
    return 0
  }
}

/** Returns null if the process has exited, or the system keeps no such account (proc(5), `stat` and `schedstat`). */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain blanks. The times are fields 14 and 15 of the line, at index 11 and 12 after
    // it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { ranMs: (ticks * 1000) / TICKS_PER_SECOND, waitedMs: waitedMs(pid) }
  } catch {
    return null
  }
}

function waitedMs(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[1])
    } catch {
      // Race: the thread has ended.
    }
  }
  return nanoseconds / 1e6
}
