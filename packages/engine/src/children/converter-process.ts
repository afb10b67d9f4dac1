import { fork, type ChildProcess } from 'node:child_process'
import { NODE_FLAGS } from './node-flags.ts'
import type { ChildMessage, ConversionReport, ConversionTask } from './conversion-task.ts'

/** The same entry point, for the sources and for a build of them. */
const CHILD_ENTRY = new URL('./convert-child.ts', import.meta.url)
const ENTRY = import.meta.url.endsWith('.ts') ? CHILD_ENTRY : new URL('./convert-child.js', import.meta.url)

/** The process exited before its report. `signal` is null if it exited voluntarily. */
export interface ChildExit {
  readonly kind: 'exited'
  readonly signal: NodeJS.Signals | null
  readonly exitCode: number | null
}

/** End of one document, as the parent sees it. */
export type ChildEnd = ChildExit | { readonly kind: 'reported'; readonly report: ConversionReport }

interface ConverterProcessOptions {
  readonly heapMegabytes: number
  readonly checksConverters: boolean
  /** Default: the parent's environment. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/** A child process that converts documents, one at a time. */
export class ConverterProcess {
  /** Rejects with a sentence if the process exits, or cannot load a converter, before it is ready. */
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
      // Sends bytes directly instead of encoded as JSON.
      serialization: 'advanced',
    })
    this.#exited = new Promise((resolve) => {
      const end = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
        this.#isAlive = false
        resolve({ kind: 'exited', signal, exitCode })
      }
      this.#child.once('exit', end)
      // The process did not start.
      this.#child.on('error', () => (this.#child.pid === undefined ? end(null, null) : undefined))
    })
    this.ready = this.#untilReady()
    // The pool awaits a process that it needs. A rejection without an awaiting caller must not end the server.
    this.ready.catch(() => undefined)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Number of documents so far. */
  get served(): number {
    return this.#served
  }

  async convert(task: ConversionTask): Promise<ChildEnd> {
    this.#served += 1
    const reported = this.#next((message): ChildEnd | null =>
      message.kind === 'report' ? { kind: 'reported', report: message.report } : null,
    )
    // The send fails only if the process has exited, which `#exited` reports.
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

/** Returns Node's own options, except those that every child has, and the server's limits and debuggers. */
function inherited(): string[] {
  return process.execArgv.filter(
    (argument) => !NODE_FLAGS.includes(argument) && !/^--(?:inspect|max-old-space-size)/.test(argument),
  )
}
