import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CutReport, CutTask } from './cut-task.ts'

/** How the child ended, from outside. */
export type ChildResult =
  | CutReport
  /** It was killed at its limit of time. */
  | { readonly kind: 'out_of_time' }
  /** It crashed, was killed at its limit of memory, or by the system for want of it. */
  | { readonly kind: 'crashed' }

const ENTRY = fileURLToPath(new URL('./cut-child.ts', import.meta.url))

/** Where Node keeps compiled code, if it does: without it a child spends a quarter of its processor time on compiling. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  // Node names a folder of its version below the one that it was given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** Cuts in a process of its own, which is killed after `timeoutMs` and when `signal` aborts. Throws only what `signal` does. */
export async function runCutChild(task: CutTask, timeoutMs: number, signal: AbortSignal): Promise<ChildResult> {
  signal.throwIfAborted()
  const child = fork(ENTRY, [JSON.stringify(task)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // The child reads an untrusted file: its environment holds no key, and its output is discarded.
    env: compileCache(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A session of its own: Ctrl-C on the terminal is for us.
    detached: true,
  })
  const ended = Promise.withResolvers<ChildResult>()
  let result: ChildResult = { kind: 'crashed' }
  child.on('message', (report) => (result = report as CutReport))
  child.on('exit', () => ended.resolve(result))
  child.on('error', ended.reject)
  const kill = (): boolean => child.kill('SIGKILL')
  const late = setTimeout(() => {
    if (kill()) result = { kind: 'out_of_time' }
  }, timeoutMs)
  signal.addEventListener('abort', kill)
  try {
    const message = await ended.promise
    signal.throwIfAborted()
    return message
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', kill)
  }
}
