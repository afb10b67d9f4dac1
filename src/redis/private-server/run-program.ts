import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ProgramOptions {
  readonly cwd?: string
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Timeout of the program. */
  readonly timeoutMs: number
}

/** Number of characters of output to keep, from the end. */
const KEPT_OUTPUT = 4_000

/**
 * Runs a program to its end. On abort or timeout it kills the program at once with all of its children: a child may
 * hang and would hold our pipe open.
 *
 * @throws an error that ends in the last line of its standard error, or `signal`'s reason
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs }: ProgramOptions,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(env === undefined ? {} : { env }),
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-KEPT_OUTPUT)))
  const late = AbortSignal.timeout(timeoutMs)
  const cut = AbortSignal.any([signal, late])
  const kill = (): void => {
    child.stderr.destroy()
    if (child.pid !== undefined) killGroup(child.pid)
  }
  cut.addEventListener('abort', kill, { once: true })
  try {
    const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    signal.throwIfAborted()
    if (late.aborted) throw new Error(`${command} did not end within ${timeoutMs / 1000} s`)
    if (code !== 0) throw new Error(`${command} failed (${by ?? code}): ${lastLine(said)}`)
  } finally {
    cut.removeEventListener('abort', kill)
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended in this moment.
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
