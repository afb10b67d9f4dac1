import { availableParallelism } from 'node:os'
import { ConversionWatchdog } from './conversion-watchdog.ts'
import type { ConversionReport, ConversionTask } from './conversion-task.ts'
import { ConverterProcesses } from './converter-processes.ts'
import type { ConverterProcess } from './converter-process.ts'

export interface ConversionPoolOptions {
  /** Number of concurrent documents, one per process. Default: the number of cores. */
  readonly children?: number
  /** Threshold of resident memory above which the watchdog kills a child. Default: 600 MiB. */
  readonly childMemoryBytes?: number
  /** Number of documents after which the pool replaces a child, at any memory use. Default: 5000. */
  readonly documentsPerChild?: number
  /** Environment of the children. Default: the parent's. */
  readonly childEnv?: Readonly<Record<string, string>>
}

/** Result of a conversion, as the pool sees it. */
export type PoolResult =
  | ConversionReport
  /** The client closed the connection, or the engine closes. */
  | { readonly kind: 'aborted' }
  /** The document used up its budget: see `ProcessingClock`. */
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'over-memory'; readonly limitBytes: number }
  /** The process crashed twice, the second time as a fresh one. `signal` names the crash, such as SIGSEGV. */
  | { readonly kind: 'crashed'; readonly signal: NodeJS.Signals | null; readonly exitCode: number | null }

const DEFAULT_CHILD_MEMORY_BYTES = 600 * 1024 ** 2
/** V8's heap limit as a fraction of the memory limit. V8 aborts with SIGABRT there. The rest is for native code. */
const HEAP_SHARE = 0.75
/**
 * Threshold of memory between two documents, as a fraction of the limit. With a warm PDF library and all converters a
 * process holds up to 340 MB, after scans up to 490 MB of 600. The next document reuses that memory. If it needs more,
 * the pool retries it in a fresh process.
 */
const REST_SHARE = 5 / 6
/** A new process needs a second or more of CPU time to warm up, so replacement is rare. Leaks show in its memory. */
const DEFAULT_DOCUMENTS_PER_CHILD = 5_000

/**
 * Converts documents in child processes. A parser that hangs, crashes or takes too much memory ends only its process.
 * Call `start` before the first document. It checks that the converters load.
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

  /** Rejects with a sentence that names the package if a converter cannot be loaded. */
  start(): Promise<void> {
    return this.#processes.start()
  }

  /**
   * Never rejects: every failure of the child is a value. A document that crashes its process, or exceeds memory in a
   * used one, gets one retry in a fresh process.
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
    const child = await this.#processes.acquire(signal, fresh)
    if (child === null) return { result: { kind: 'aborted' }, retry: false }
    const wasUsed = child.served > 0
    const result = await this.#convert(child, task, timeoutMs, signal)
    this.#processes.release(child)
    const retry = result.kind === 'crashed' || (result.kind === 'over-memory' && wasUsed)
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
    // An answer between two checks of the watchdog may still be late.
    if (end.kind === 'reported') return isOver ? { kind: 'timed-out' } : end.report
    if (signal.aborted) return { kind: 'aborted' }
    if (killedFor === 'time') return { kind: 'timed-out' }
    const heapIsFull = end.signal === 'SIGABRT' && peakBytes > this.#limitBytes * HEAP_SHARE * 0.75
    if (killedFor === 'memory' || heapIsFull) return { kind: 'over-memory', limitBytes: this.#limitBytes }
    return { kind: 'crashed', signal: end.signal, exitCode: end.exitCode }
  }
}
