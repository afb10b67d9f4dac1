import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { resolve } from 'node:path'

/** A process of our own that runs one of the scripts in `test/support/processes`. */
export interface TestProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  /** Every line that it printed so far. */
  readonly lines: readonly string[]
  /** Resolves with the first line that starts with `start`; throws when the process ends without one. */
  line(start: string): Promise<string>
  kill(signal: NodeJS.Signals): Promise<void>
}

export function startProcess(script: string, argv: readonly string[]): TestProcess {
  const path = resolve(import.meta.dirname, 'processes', script)
  const child = spawn(process.execPath, [path, ...argv], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return {
    child,
    lines,
    line: async (start) => {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start))
        if (found !== undefined) return found
        const [event] = await Promise.race([
          once(output, 'line').then(() => ['line']),
          once(output, 'close').then(() => ['close']),
        ])
        if (event === 'close') throw new Error(`${script} ended without a line "${start}…": ${lines.join(' | ')}`)
      }
    },
    kill: (signal) => endProcess(child, signal),
  }
}

/** Sends a signal to a process, unless it has ended, and waits until it has. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
