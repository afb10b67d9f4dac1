import { availableParallelism } from 'node:os'
import { ConversionWatchdog } from './conversion-watchdog.ts'
import type { ConversionReport, ConversionTask } from './conversion-task.ts'
import { ConverterProcesses } from './converter-processes.ts'
import type { ConverterProcess } from './converter-process.ts'

export interface ConversionPoolOptions {
  /** Documents converted at the same time, one a process; default: the number of cores. */
  readonly children?: number
  /** Resident memory above which a child is killed; default 600 MiB. */
  readonly childMemoryBytes?: number
  /** A child is replaced after so many documents, whatever its memory; default 5000. */
  readonly documentsPerChild?: number
  /** Environment of the children; default: that of this process. */
  readonly childEnv?: Readonly<Record<string, string>>
}

/** How a conversion ended, from outside of the child. */
export type PoolResult =
  | ConversionReport
  /** The sender went away, or the engine closes. */
  | { readonly kind: 'aborted' }
  /** The document used its time: see `ProcessingClock`. */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'over_memory'; readonly limitBytes: number }
  /** Twice, the second time in a fresh process. `signal` names the crash, such as SIGSEGV. */
  | { readonly kind: 'crashed'; readonly signal: NodeJS.Signals | null; readonly exitCode: number | null }

const DEFAULT_CHILD_MEMORY_BYTES = 600 * 1024 ** 2
/** V8's own limit, as a share of the whole; V8 ends its process with SIGABRT there. The rest is for native code. */
const HEAP_SHARE = 0.75
/**
 * What a process may keep between two documents, as a share of the whole: with a warm PDF library and all converters it has up to
 * 340 MB, after scans up to 490 MB of 600. The next document uses that again; where it needs more than there is, it is tried again
 * in a fresh process.
 */
const REST_SHARE = 5 / 6
/** A new process takes a second and more of processor time to be as fast as a used one; what leaks is seen by its memory. */
const DEFAULT_DOCUMENTS_PER_CHILD = 5_000

/**
 * Converts documents in child processes. A parser that hangs, crashes or takes too much memory ends with its own process
 * and nothing else. Start it before the first document: `start` says whether the converters can be loaded at all.
 */
export class ConversionPool implements AsyncDisposable {
  readonly #processes: ConverterProcesses
  readonly #watchdog: ConversionWatchdog
  readonly #limitBytes: number

  constructor(options: ConversionPoolOptions = {}) {
    this.#limitBytes = options.childMemoryBytes ?? DEFAULT_CHILD_MEMORY_BYTES
    this.#watchdog = new ConversionWatchdog(this.#limitBytes)
    this.#processes = new ConverterProcesses({
      size: options.children ?? availableParallelism(),
      heapMegabytes: Math.max(64, Math.floor((this.#limitBytes * HEAP_SHARE) / 1024 ** 2)),
      restBytes: this.#limitBytes * REST_SHARE,
      documentsPerChild: options.documentsPerChild ?? DEFAULT_DOCUMENTS_PER_CHILD,
      env: options.childEnv,
    })
  }

  /** Rejects with a sentence that names the package when a converter cannot be loaded. */
  start(): Promise<void> {
    return this.#processes.start()
  }

  /**
   * Never rejects: whatever happens to the child is a value. A document that brings its process down, or a used process
   * over its memory, is tried once more in a fresh one.
   */
  async run(task: ConversionTask, timeoutMs: number, signal: AbortSignal): Promise<PoolResult> {
    const first = await this.#attempt(task, timeoutMs, signal, false)
    return first.retry ? (await this.#attempt(task, timeoutMs, signal, true)).result : first.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchdog[Symbol.dispose]()
    await this.#processes[Symbol.asyncDispose]()
  }

  async #attempt(
    task: ConversionTask,
    timeoutMs: number,
    signal: AbortSignal,
    fresh: boolean,
  ): Promise<{ readonly result: PoolResult; readonly retry: boolean }> {
    const child = await this.#processes.take(signal, fresh)
    if (child === null) return { result: { kind: 'aborted' }, retry: false }
    const wasUsed = child.served > 0
    const result = await this.#convert(child, task, timeoutMs, signal)
    this.#processes.giveBack(child)
    const retry = result.kind === 'crashed' || (result.kind === 'over_memory' && wasUsed)
    return { result, retry }
  }

  async #convert(
    child: ConverterProcess,
    task: ConversionTask,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PoolResult> {
    const abort = (): void => void child.kill()
    signal.addEventListener('abort', abort, { once: true })
    this.#watchdog.watch(child.pid, timeoutMs)
    const end = await child.convert(task)
    const { killedFor, peakBytes, isOver } = this.#watchdog.release(child.pid)
    signal.removeEventListener('abort', abort)
    // An answer between two checks of the watchdog is late all the same.
    if (end.kind === 'reported') return isOver ? { kind: 'timed_out' } : end.report
    if (signal.aborted) return { kind: 'aborted' }
    if (killedFor === 'time') return { kind: 'timed_out' }
    const heapIsFull = end.signal === 'SIGABRT' && peakBytes > this.#limitBytes * HEAP_SHARE * 0.75
    if (killedFor === 'memory' || heapIsFull) return { kind: 'over_memory', limitBytes: this.#limitBytes }
    return { kind: 'crashed', signal: end.signal, exitCode: end.exitCode }
  }
}
