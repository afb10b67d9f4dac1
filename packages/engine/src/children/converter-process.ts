import { fork, type ChildProcess } from 'node:child_process'
import { NODE_FLAGS } from './node-flags.ts'
import type { ChildMessage, ConversionReport, ConversionTask } from './conversion-task.ts'

/** The same entry, whether Node runs our sources or a build of them. */
const CHILD_ENTRY = new URL('./convert-child.ts', import.meta.url)
const ENTRY = import.meta.url.endsWith('.ts') ? CHILD_ENTRY : new URL('./convert-child.js', import.meta.url)

/** The process ended before it reported; `signal` is null for an exit of its own. */
export interface ChildExit {
  readonly kind: 'exited'
  readonly signal: NodeJS.Signals | null
  readonly exitCode: number | null
}

/** How one document ended, as seen from outside. */
export type ChildEnd = ChildExit | { readonly kind: 'reported'; readonly report: ConversionReport }

interface ConverterProcessOptions {
  readonly heapMegabytes: number
  readonly checksConverters: boolean
  /** Default: that of this process. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/** One child process that converts documents, one at a time. */
export class ConverterProcess {
  /** Rejects with a sentence when the process ends or cannot load a converter before it is ready. */
  readonly ready: Promise<void>
  readonly #child: ChildProcess
  readonly #exited: Promise<ChildExit>
  #served = 0
  #isAlive = true

  constructor({ heapMegabytes, checksConverters, env }: ConverterProcessOptions) {
    this.#child = fork(ENTRY, checksConverters ? ['--check-converters'] : [], {
      execArgv: [...NODE_FLAGS, ...inherited(), `--max-old-space-size=${heapMegabytes}`],
      ...(env === undefined ? {} : { env }),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Bytes as they are, not as JSON.
      serialization: 'advanced',
    })
    this.#exited = new Promise((resolve) => {
      const end = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
        this.#isAlive = false
        resolve({ kind: 'exited', signal, exitCode })
      }
      this.#child.once('exit', end)
      // The process could not be started at all.
      this.#child.on('error', () => (this.#child.pid === undefined ? end(null, null) : undefined))
    })
    this.ready = this.#untilReady()
    // The pool awaits a process that it needs; a rejection that no caller awaits must not end the server.
    this.ready.catch(() => undefined)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Documents that it was given so far. */
  get served(): number {
    return this.#served
  }

  async convert(task: ConversionTask): Promise<ChildEnd> {
    this.#served += 1
    const reported = this.#next((message): ChildEnd | null =>
      message.kind === 'report' ? { kind: 'reported', report: message.report } : null,
    )
    // An error here is that of a process that has ended, which `#exited` reports.
    this.#child.send(task, () => undefined)
    return Promise.race([reported, this.#exited])
  }

  async kill(): Promise<void> {
    if (this.#isAlive) this.#child.kill('SIGKILL')
    await this.#exited
  }

  async #untilReady(): Promise<void> {
    const said = await Promise.race([
      this.#next((message) => (message.kind === 'report' ? null : message)),
      this.#exited,
    ])
    if (said.kind === 'ready') return
    if (said.kind === 'unloadable') throw new Error(said.message)
    throw new Error(`a converter process ended before it was ready (${said.signal ?? said.exitCode ?? 'not started'})`)
  }

  #next<T>(pick: (message: ChildMessage) => T | null): Promise<T> {
    return new Promise((resolve) => {
      const listen = (message: ChildMessage): void => {
        const picked = pick(message)
        if (picked === null) return
        this.#child.off('message', listen)
        resolve(picked)
      }
      this.#child.on('message', listen)
    })
  }
}

/** The options of Node itself, but for those that it has anyway, and for limits and debuggers of the server alone. */
function inherited(): string[] {
  return process.execArgv.filter(
    (argument) => !NODE_FLAGS.includes(argument) && !/^--(?:inspect|max-old-space-size)/.test(argument),
  )
}
