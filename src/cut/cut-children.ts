import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR, NODE_FLAGS } from '#src/kit/node-process.ts'
import type { CutReport, CutTask } from './cut-task.ts'

/** How the child ended, from outside. */
export type ChildResult =
  | CutReport
  /** It was killed at its limit of time. */
  | { readonly kind: 'out_of_time' }
  /** It crashed, was killed at its limit of memory, or by the system for want of it. */
  | { readonly kind: 'crashed' }

const ENTRY = fileURLToPath(new URL('./cut-child.ts', import.meta.url))

/** A process without a task is ended after this. */
const IDLE_MS = 60_000

/** Where Node keeps compiled code, if it does: without it a child spends a quarter of its processor time on compiling. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  // Node names a folder of its version below the one that it was given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/**
 * Cuts in processes of their own. One that cut a sound PDF is used again, which saves most of the processor time of a cut; one
 * that waits keeps no program from its end.
 */
export class CutChildren {
  readonly #idle: ChildProcess[] = []

  /** Killed after `timeoutMs` and when `signal` aborts. Throws only what `signal` does. */
  async run(task: CutTask, timeoutMs: number, signal: AbortSignal): Promise<ChildResult> {
    signal.throwIfAborted()
    const used = this.#idle.pop()
    if (used === undefined) return this.#runIn(start(), task, timeoutMs, signal)
    const result = await this.#runIn(used, task, timeoutMs, signal)
    // It may have died of an earlier document, or while it waited.
    return result.kind === 'crashed' ? this.#runIn(start(), task, timeoutMs, signal) : result
  }

  async #runIn(child: ChildProcess, task: CutTask, timeoutMs: number, signal: AbortSignal): Promise<ChildResult> {
    const ended = Promise.withResolvers<ChildResult>()
    let result: ChildResult = { kind: 'crashed' }
    let isLast = true
    const onMessage = (message: unknown): void => {
      const answer = message as { readonly report: CutReport; readonly isLast: boolean }
      isLast = answer.isLast
      ended.resolve(answer.report)
    }
    const onExit = (): void => ended.resolve(result)
    const kill = (): boolean => child.kill('SIGKILL')
    const late = setTimeout(() => {
      if (kill()) result = { kind: 'out_of_time' }
    }, timeoutMs)
    child.once('message', onMessage).once('exit', onExit)
    signal.addEventListener('abort', kill)
    child.ref()
    child.channel?.ref()
    // An error here is that of a process that has ended, which `exit` reports.
    if (child.exitCode !== null || child.signalCode !== null) onExit()
    else child.send(task, (error) => error !== null && kill())
    try {
      const report = await ended.promise
      signal.throwIfAborted()
      return report
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', kill)
      child.off('message', onMessage).off('exit', onExit)
      if (isLast) kill()
      else this.#keep(child)
    }
  }

  #keep(child: ChildProcess): void {
    child.unref()
    child.channel?.unref()
    this.#idle.push(child)
    const end = setTimeout(() => {
      const at = this.#idle.indexOf(child)
      if (at < 0) return
      this.#idle.splice(at, 1)
      child.kill('SIGKILL')
    }, IDLE_MS)
    end.unref()
  }
}

function start(): ChildProcess {
  const child = fork(ENTRY, [], {
    execArgv: [...NODE_FLAGS],
    // The child reads an untrusted file: its environment holds no key, and its output is discarded.
    env: { ...ALLOCATOR, ...compileCache() },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A session of its own: Ctrl-C on the terminal is for us.
    detached: true,
  })
  // One that cannot be started has no `exit`; the message to it fails, and it counts as crashed.
  child.on('error', () => child.emit('exit', null, 'SIGKILL'))
  return child
}
