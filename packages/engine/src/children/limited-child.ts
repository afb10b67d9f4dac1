import { type ChildProcess, fork } from 'node:child_process'
import pLimit from 'p-limit'
import { NODE_FLAGS } from './node-flags.ts'
import { residentBytes } from './process-usage.ts'

export interface LimitedChildOptions {
  /** Module whose process answers each message with one, in the order of arrival. */
  readonly entry: URL
  /** Timeout of a task. A late task ends with its process. */
  readonly timeoutMs: number
  /**
   * Threshold of resident memory above which the parent kills the process. Without effect on a system without /proc.
   */
  readonly memoryBytes: number
  readonly env: Readonly<Record<string, string>>
}

export type LimitedResult<Output> =
  | { readonly kind: 'done'; readonly output: Output }
  /** Killed at its limit, or crashed. */
  | { readonly kind: 'ended'; readonly reason: 'time' | 'memory' | 'crash' }

const POLL_MS = 50

/** Idle timeout of a process. Its memory is only needed while a person reads. */
const IDLE_MS = 60_000

/**
 * Runs tasks with untrusted content one after another in a child process. It kills the process (SIGKILL) at its limits,
 * and starts another with the next task. The first task starts the first process.
 */
export class LimitedChild<Input extends object, Output> implements AsyncDisposable {
  readonly #options: LimitedChildOptions
  readonly #oneAtATime = pLimit(1)
  #child: ChildProcess | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(options: LimitedChildOptions) {
    this.#options = options
  }

  run(input: Input): Promise<LimitedResult<Output>> {
    return this.#oneAtATime(() => this.#run(input))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#oneAtATime.clearQueue()
    this.#end()
  }

  async #run(input: Input): Promise<LimitedResult<Output>> {
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    const ended = Promise.withResolvers<LimitedResult<Output>>()
    let why: 'time' | 'memory' | 'crash' = 'crash'
    const kill = (reason: 'time' | 'memory'): void => {
      why = reason
      child.kill('SIGKILL')
    }
    const onMessage = (output: unknown): void => ended.resolve({ kind: 'done', output: output as Output })
    const onEnd = (): void => ended.resolve({ kind: 'ended', reason: why })
    child.once('message', onMessage).once('exit', onEnd).once('error', onEnd)
    const late = setTimeout(kill, this.#options.timeoutMs, 'time')
    const watchdog = setInterval(() => {
      if (residentBytes(child.pid ?? 0) > this.#options.memoryBytes) kill('memory')
    }, POLL_MS)
    // The send fails only if the process has exited, which `exit` reports.
    child.send(input, () => undefined)
    try {
      const result = await ended.promise
      if (result.kind === 'ended') this.#end()
      return result
    } finally {
      clearTimeout(late)
      clearInterval(watchdog)
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd)
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
    }
  }

  #start(): ChildProcess {
    const { entry, env } = this.#options
    const child = fork(entry, [], {
      execArgv: [...NODE_FLAGS],
      env: { ...env },
      // Libraries log pieces of unreadable files. No part of a document may reach a terminal or a log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // A separate session, so that Ctrl-C on the terminal reaches only this process.
      detached: true,
    })
    child.on('error', () => undefined)
    child.once('exit', () => {
      if (this.#child === child) this.#child = null
    })
    return child
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = null
  }
}
