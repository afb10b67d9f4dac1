import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Ended {
  readonly stdout: string
  readonly stderr: string
  /** Null where it ended with 0. */
  readonly failure: string | null
}

/** Runs a program to its end with an empty standard input, `env` and PATH alone. */
export async function runProcess(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, limitMs = 0 }: { readonly cwd?: string; readonly limitMs?: number } = {},
): Promise<Ended> {
  const running = run(command, args, {
    env: { PATH: process.env['PATH'], ...env },
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 ** 2,
    ...(cwd === undefined ? {} : { cwd }),
  })
  running.child.stdin?.end()
  return running.then(
    (ended) => ({ ...ended, failure: null }),
    ({ stdout = '', stderr = '', killed, message }: Partial<Ended> & { killed?: boolean; message: string }) => ({
      stdout,
      stderr,
      failure: killed === true ? `it did not end within ${limitMs / 1000} s` : message,
    }),
  )
}
