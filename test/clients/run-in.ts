import { spawn } from 'node:child_process'

export interface Ended {
  readonly kind: 'ended'
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export interface TimedOut {
  readonly kind: 'timed-out'
  readonly output: string
}

/**
 * Runs a command in `folder` with `env` and PATH alone. After `limitMs` the command and its children are killed.
 *
 * @throws the error of `spawn` when the command does not start
 */
export async function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  { env, limitMs }: { readonly env: Readonly<Record<string, string>>; readonly limitMs: number },
): Promise<Ended | TimedOut> {
  const { PATH = '' } = process.env
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let isLate = false
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(() => {
    isLate = true
    endGroup()
  }, limitMs)
  const stop = (): void => {
    endGroup()
    process.exit(130)
  }
  // A process group of its own does not receive the terminal's Ctrl-C.
  process.once('SIGINT', stop)
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return isLate ? { kind: 'timed-out', output } : { kind: 'ended', code, output }
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', stop)
  }
}
