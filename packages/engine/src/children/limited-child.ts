import { type ChildProcess, fork } from 'node:child_process'
import pLimit from 'p-limit'
import { NODE_FLAGS } from './node-flags.ts'
import { residentBytes } from './process-usage.ts'

export interface LimitedChildOptions {
  /** Module whose process answers each message with one, in the order of arrival. */
  readonly entry: URL
  /** A task that is not done by then ends with its process. */
  readonly timeoutMs: number
  /** Resident memory above which the process is killed; not held where the system has no /proc. */
  readonly memoryBytes: number
  readonly env: Readonly<Record<string, string>>
}

export type LimitedResult<Output> =
  | { readonly kind: 'done'; readonly output: Output }
  /** Killed at its limit, or crashed. */
  | { readonly kind: 'ended'; readonly why: 'time' | 'memory' | 'crash' }

const LOOK_MS = 50

/** A process without a task is ended after this: its memory is only needed while a person reads. */
const IDLE_MS = 60_000

/**
 * Does tasks with untrusted content one after another in a child process, which is killed (SIGKILL) at its limits and
 * replaced with the next task. It starts with the first one.
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
    const onEnd = (): void => ended.resolve({ kind: 'ended', why })
    child.once('message', onMessage).once('exit', onEnd).once('error', onEnd)
    const late = setTimeout(kill, this.#options.timeoutMs, 'time')
    const watchdog = setInterval(() => {
      if (residentBytes(child.pid ?? 0) > this.#options.memoryBytes) kill('memory')
    }, LOOK_MS)
    // An error here is that of a process that has ended, which `exit` reports.
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
      // Libraries print pieces of files that they cannot read; nothing of a document may reach a terminal or a log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // A session of its own: Ctrl-C on the terminal is for us.
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
