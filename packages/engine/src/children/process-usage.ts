import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
/** `USER_HZ`, the unit of the times in /proc/<pid>/stat: 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

/** What a process has used since it began. */
export interface ProcessUsage {
  /** Processor time of all its threads, also of those that have ended. */
  readonly ranMs: number
  /** Time that its living threads spent ready to run, waiting for a processor. */
  readonly waitedMs: number
}

/** Resident memory of a process in bytes, 0 when it is gone or the system has no /proc. */
export function residentBytes(pid: number): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]
    return Number(pages) * PAGE_BYTES
  } catch {
    return 0
  }
}

/** Null when the process is gone, or the system keeps no such account (proc(5), `stat` and `schedstat`). */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold blanks; the times are fields 14 and 15 of the line, 11 and 12 after it.
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
      // The thread has ended meanwhile.
    }
  }
  return nanoseconds / 1e6
}
