import { readFileSync } from 'node:fs'

const CHECK_EVERY_MS = 20

/** Highest resident memory of any child of a process, bytes, between `begin` and `end`; Linux. */
export class PeakMemory {
  readonly #parent: number
  readonly #timer: NodeJS.Timeout
  #peak = 0

  constructor(parent: number) {
    this.#parent = parent
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS)
  }

  begin(): void {
    this.#peak = 0
  }

  end(): number {
    this.#check()
    return this.#peak
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    for (const pid of childrenOf(this.#parent)) this.#peak = Math.max(this.#peak, residentBytes(pid))
  }
}

function childrenOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return []
  }
}

function residentBytes(pid: string): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
