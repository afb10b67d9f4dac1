import { setTimeout as sleep } from 'node:timers/promises'
import { ConverterProcess } from './converter-process.ts'
import { residentBytes } from './process-usage.ts'

export interface ConverterProcessesOptions {
  readonly size: number
  /** V8's heap limit in each process. */
  readonly heapMegabytes: number
  /** Threshold of resident memory above which the pool replaces a process after its document. */
  readonly restBytes: number
  readonly documentsPerChild: number
  /** Default: the parent's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** Backoff in milliseconds before a retry to start a process that exited before it was ready. */
const RESTART_DELAY_MS = 1_000

interface Waiting {
  readonly fresh: boolean
  /** Called with null when the engine closes. */
  readonly assign: (child: ConverterProcess | null) => void
}

/** A fixed number of converter processes. Hands them out, and replaces those that exited or grew too large. */
export class ConverterProcesses implements AsyncDisposable {
  readonly #options: ConverterProcessesOptions
  readonly #all = new Set<ConverterProcess>()
  readonly #idle: ConverterProcess[] = []
  readonly #waiting: Waiting[] = []
  #isReplacing = false
  #isClosed = false

  constructor(options: ConverterProcessesOptions) {
    this.#options = options
  }

  /** Starts all processes. The first loads every converter. `start` rejects with the sentence of a missing one. */
  async start(): Promise<void> {
    const first = this.#spawn(true)
    for (let count = 1; count < this.#options.size; count += 1) void this.#add()
    await first.ready
    this.#offer(first)
  }

  /** Returns an idle process, or null if `signal` fires first. A `fresh` one has converted no document. */
  async acquire(signal: AbortSignal, fresh: boolean): Promise<ConverterProcess | null> {
    if (signal.aborted || this.#isClosed) return null
    const child = this.#pick(fresh)
    return child ?? this.#wait(signal, fresh)
  }

  /**
   * Takes a process back, or replaces it. Processes that only grew are replaced one at a time, so that the others
   * continue.
   */
  release(child: ConverterProcess): void {
    if (this.#isClosed) return
    if (!child.isAlive) void this.#replace(child)
    else if (this.#isWorn(child) && !this.#isReplacing) void this.#replaceAlone(child)
    else this.#offer(child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { assign } of this.#waiting.splice(0)) assign(null)
    await Promise.all([...this.#all].map((child) => child.kill()))
  }

  #isWorn(child: ConverterProcess): boolean {
    const { restBytes, documentsPerChild } = this.#options
    return child.served >= documentsPerChild || residentBytes(child.pid) > restBytes
  }

  async #replaceAlone(child: ConverterProcess): Promise<void> {
    this.#isReplacing = true
    try {
      await this.#replace(child)
    } finally {
      this.#isReplacing = false
    }
  }

  async #replace(child: ConverterProcess): Promise<void> {
    this.#all.delete(child)
    await child.kill()
    await this.#add()
  }

  async #add(): Promise<void> {
    while (!this.#isClosed) {
      const child = this.#spawn(false)
      try {
        await child.ready
        this.#offer(child)
        return
      } catch {
        this.#all.delete(child)
        await sleep(RESTART_DELAY_MS, undefined, { ref: false })
      }
    }
  }

  #spawn(checksConverters: boolean): ConverterProcess {
    const { heapMegabytes, env } = this.#options
    const child = new ConverterProcess({ heapMegabytes, checksConverters, env })
    this.#all.add(child)
    return child
  }

  /** Replaces a used process if the request needs a fresh one. */
  #pick(fresh: boolean): ConverterProcess | null {
    for (let child = this.#idle.shift(); child !== undefined; child = this.#idle.shift()) {
      if (!child.isAlive) void this.#replace(child)
      else if (!fresh || child.served === 0) return child
      else {
        void this.#replace(child)
        return null
      }
    }
    return null
  }

  #offer(child: ConverterProcess): void {
    this.#idle.push(child)
    const next = this.#waiting[0]
    const picked = next === undefined ? null : this.#pick(next.fresh)
    if (next === undefined || picked === null) return
    this.#waiting.shift()
    next.assign(picked)
  }

  #wait(signal: AbortSignal, fresh: boolean): Promise<ConverterProcess | null> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        resolve(null)
      }
      const assign = (child: ConverterProcess | null): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(child)
      }
      const waiting: Waiting = { fresh, assign }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(waiting)
    })
  }
}
