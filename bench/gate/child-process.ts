import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** A script, named from this folder, in a process of its own; ended with the bench. */
export class BenchProcess implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: string[] = []
  readonly #closed: Promise<unknown>
  #heard: () => void = () => undefined
  /** No process of a bench outlives it, however it ends. */
  readonly #end = (): void => void this.#child.kill('SIGKILL')

  constructor(script: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const path = resolve(import.meta.dirname, script)
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...argv], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    this.#child.stdin.on('error', () => undefined)
    process.once('exit', this.#end)
    const output = createInterface({ input: this.#child.stdout })
    output.on('line', (line) => {
      this.#lines.push(line)
      this.#heard()
    })
    this.#closed = once(output, 'close').then(() => this.#heard())
  }

  /** The rest of the first line that begins with `start`; throws when the process ends without one. */
  async line(start: string): Promise<string> {
    let closed = false
    void this.#closed.then(() => (closed = true))
    for (;;) {
      const found = this.#lines.find((line) => line.startsWith(start))
      if (found !== undefined) return found.slice(start.length).trim()
      if (closed) throw new Error(`a process of the bench ended without saying "${start}"`)
      await new Promise<void>((heard) => {
        this.#heard = heard
        void this.#closed.then(() => heard())
      })
    }
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#end)
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}
