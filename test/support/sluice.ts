import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

export const MAIN = `${ROOT}/src/cli/main.ts`

/** Where Node keeps that program compiled. */
export const COMPILED = `${ROOT}/node_modules/.cache/node`

/** A line of a stack trace in what a process says, whether it ran our sources or the bundle of them. */
export const STACK_TRACE = /at .*\.[jt]s:\d+/

export interface SluiceOptions {
  /** Another entry point than that of the sources. */
  readonly program?: string
  /** What starts the launcher of the checkout instead: `nohup`. */
  readonly under?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Flags of Node, before the program. */
  readonly execArgv?: readonly string[]
  /** What stands on its standard input; nothing when not given. */
  readonly input?: string
}

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningSluice {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** What it has said on standard error until now. */
  stderr(): string
}

/** Starts the real program as a process of its own, as a person would, with nothing of the tests' environment. */
export function startSluice(args: readonly string[], options: SluiceOptions = {}): RunningSluice {
  const { PATH = '', HOME = '' } = process.env
  const node = ['--disable-warning=ExperimentalWarning', ...(options.execArgv ?? [])]
  const [command, ...before] =
    options.under === undefined
      ? [process.execPath, ...node, options.program ?? MAIN]
      : [options.under, `${ROOT}/sluice`]
  const child = spawn(command, [...before, ...args], {
    cwd: options.cwd ?? ROOT,
    // Nothing is remembered from one test to the next.
    env: { PATH, HOME, XDG_STATE_HOME: '/dev/null', NODE_COMPILE_CACHE: COMPILED, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(options.input)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const finished = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }))
  return { child, finished, stderr: () => stderr }
}

export async function sluice(args: readonly string[], options: SluiceOptions = {}): Promise<Finished> {
  return startSluice(args, options).finished
}
