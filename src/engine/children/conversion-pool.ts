import { availableParallelism } from 'node:os'
import { Tinypool } from 'tinypool'
import { MemoryWatchdog } from './memory-watchdog.ts'
import type { ConversionReport, ConversionTask } from './conversion-task.ts'

export interface ConversionPoolOptions {
  /** Documents converted at the same time, one a process; default: the number of cores. */
  readonly children?: number
  /** Resident memory above which a child is killed; default 1.5 GiB. */
  readonly childMemoryBytes?: number
  /** A child is replaced after about so many documents: native libraries leak; default 200. */
  readonly documentsPerChild?: number
}

/** How a conversion ended, from outside of the child. */
export type PoolResult =
  | ConversionReport
  /** `signal` fired; `started` is false when no child had become free until then. */
  | { readonly kind: 'aborted'; readonly started: boolean }
  | { readonly kind: 'over_memory'; readonly limitBytes: number }
  | { readonly kind: 'crashed'; readonly message: string }

const DEFAULT_CHILD_MEMORY_BYTES = 1.5 * 1024 ** 3
const DEFAULT_DOCUMENTS_PER_CHILD = 200

/** The same entry, whether Node runs our sources or a build of them. */
const CHILD_ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './convert-child.ts' : './convert-child.js',
  import.meta.url,
)

/**
 * Converts documents in child processes. A parser that hangs, crashes or eats memory takes its own process with it and
 * nothing else: aborting a run kills its child at once, whatever native code it is in.
 */
export class ConversionPool implements AsyncDisposable {
  readonly #pool: Tinypool
  readonly #watchdog: MemoryWatchdog
  readonly #childMemoryBytes: number
  readonly #recycleEvery: number
  #untilRecycling: number

  constructor(options: ConversionPoolOptions = {}) {
    const children = options.children ?? availableParallelism()
    this.#childMemoryBytes = options.childMemoryBytes ?? DEFAULT_CHILD_MEMORY_BYTES
    this.#recycleEvery = children * (options.documentsPerChild ?? DEFAULT_DOCUMENTS_PER_CHILD)
    this.#untilRecycling = this.#recycleEvery
    this.#watchdog = new MemoryWatchdog(this.#childMemoryBytes)
    const heapMegabytes = Math.max(64, Math.floor((this.#childMemoryBytes * 0.75) / 1024 ** 2))
    this.#pool = new Tinypool({
      filename: CHILD_ENTRY.href,
      runtime: 'child_process',
      // Equal on purpose: after a crash the pool goes back to the minimum only, and what waits would wait longer.
      minThreads: children,
      maxThreads: children,
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
    })
    // A child that ends while idle is replaced; without a listener the event would end the server.
    this.#pool.on('error', () => undefined)
  }

  /** Never throws: whatever happens to the child is a value. */
  async run(task: ConversionTask, signal: AbortSignal): Promise<PoolResult> {
    let pid: number | null = null
    const channel = {
      postMessage: (message: { readonly startedIn?: number }) => {
        if (message.startedIn === undefined) return
        pid = message.startedIn
        this.#watchdog.watch(pid)
      },
    }
    try {
      return (await this.#pool.run(task, { signal, channel })) as ConversionReport
    } catch (error) {
      if (signal.aborted) return { kind: 'aborted', started: pid !== null }
      if (pid !== null && this.#watchdog.killed(pid)) return { kind: 'over_memory', limitBytes: this.#childMemoryBytes }
      return { kind: 'crashed', message: error instanceof Error ? error.message : String(error) }
    } finally {
      if (pid !== null) this.#watchdog.release(pid)
      this.#countOne()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchdog.close()
    await this.#pool.destroy()
  }

  #countOne(): void {
    this.#untilRecycling -= 1
    if (this.#untilRecycling > 0) return
    this.#untilRecycling = this.#recycleEvery
    void this.#pool.recycleWorkers()
  }
}
