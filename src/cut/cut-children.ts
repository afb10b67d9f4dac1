import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR, NODE_FLAGS } from '#src/kit/node-process.ts'
import type { CutReport, CutTask } from './cut-task.ts'

/** Result of the child from the parent's view. */
export type ChildResult =
  | CutReport
  /** The parent killed it after its timeout. */
  | { readonly kind: 'out-of-time' }
  /** It crashed, or was killed at its memory limit or by the system without memory. */
  | { readonly kind: 'crashed' }

const ENTRY = fileURLToPath(new URL('./cut-child.ts', import.meta.url))

/** Idle timeout of a process without a task. */
const IDLE_MS = 60_000

/** Compile cache of Node, if enabled: without it a child spends a quarter of its processor time on compilation. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  // Node creates a folder of its version below the given one.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/**
 * Cuts PDFs in child processes. A process that cut a sound PDF is reused, which saves most of the processor time of a
 * cut. An idle process does not keep the program alive.
 */
export class CutChildren {
  readonly #idle: ChildProcess[] = []

  /** Kills the child after `timeoutMs` and when `signal` aborts. Throws only the reason of `signal`. */
  async run(task: CutTask, timeoutMs: number, signal: AbortSignal): Promise<ChildResult> {
    signal.throwIfAborted()
    const used = this.#idle.pop()
    if (used === undefined) return this.#runIn(start(), task, timeoutMs, signal)
    const result = await this.#runIn(used, task, timeoutMs, signal)
    // An earlier document, or its idle time, may have broken it.
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
      if (kill()) result = { kind: 'out-of-time' }
    }, timeoutMs)
    child.once('message', onMessage).once('exit', onExit)
    signal.addEventListener('abort', kill)
    child.ref()
    child.channel?.ref()
    // An error here comes from a process that has ended, which `exit` reports.
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
    // A session of its own: the parent handles Ctrl-C on the terminal.
    detached: true,
  })
  // A child that fails to start has no `exit`; the message to it fails, and it counts as crashed.
  child.on('error', () => child.emit('exit', null, 'SIGKILL'))
  return child
}
