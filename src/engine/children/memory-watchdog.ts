import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 50
const PAGE_BYTES = 4096

/** Resident memory of a process in bytes, 0 when it is gone or the system has no /proc. */
export function residentBytes(pid: number): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]
    return Number(pages) * PAGE_BYTES
  } catch {
    return 0
  }
}

/**
 * Kills a watched process whose resident memory goes above the limit. V8's own heap limit does not see what native
 * parsers take. Where there is no /proc it watches nothing and V8's limit alone holds.
 */
export class MemoryWatchdog {
  readonly #limitBytes: number
  readonly #watched = new Set<number>()
  readonly #killed = new Set<number>()
  #timer: NodeJS.Timeout | null = null

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  watch(pid: number): void {
    this.#watched.add(pid)
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  /** Whether this watchdog ended the process, since `watch` was last called for it. */
  killed(pid: number): boolean {
    return this.#killed.has(pid)
  }

  release(pid: number): void {
    this.#watched.delete(pid)
    this.#killed.delete(pid)
    if (this.#watched.size === 0) this.close()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    for (const pid of this.#watched) {
      if (residentBytes(pid) <= this.#limitBytes) continue
      this.#killed.add(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
}
