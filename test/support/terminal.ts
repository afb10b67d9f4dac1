import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED, MAIN } from './sluice.ts'

export interface RunningTerminal {
  /** Everything that was written to the terminal until now, control sequences included. */
  readonly text: () => string
  /** Presses keys. */
  readonly type: (keys: string) => void
  readonly ended: Promise<number | null>
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs the real program on a terminal (a pty that `script` of util-linux opens) of so many columns. */
export function onTerminal(args: readonly string[], columns = 80): RunningTerminal {
  const words = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN, ...args].map(quoted).join(' ')
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 24; exec ${words}`, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', XDG_STATE_HOME: '/dev/null', NODE_COMPILE_CACHE: COMPILED },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  return {
    text: () => text,
    type: (keys) => void child.stdin.write(keys),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}
