import { readFileSync, readdirSync } from 'node:fs'

const CHECK_EVERY_MS = 50
/** Clock ticks a second in /proc; 100 on every Linux of today. */
const TICKS = 100

/** Processor time of a process and all its children, seconds; Linux. A busy machine stretches the wall clock, not this. */
export class ProcessorTime {
  readonly #parent: number
  readonly #timer: NodeJS.Timeout
  readonly #seen = new Map<string, number>()

  constructor(parent: number) {
    this.#parent = parent
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS)
  }

  /** Since the start, children that have ended among them. */
  seconds(): number {
    this.#check()
    return [...this.#seen.values()].reduce((sum, ticks) => sum + ticks, 0) / TICKS
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        if (Number(pid) !== this.#parent && Number(fields[1]) !== this.#parent) continue
        this.#seen.set(pid, Number(fields[11]) + Number(fields[12]))
      } catch {
        // The process has ended.
      }
    }
  }
}
