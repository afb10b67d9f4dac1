import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledForAll } from '../../support/bundled.ts'

/** Disposing of it closes its standard input, at which it ends in order. */
export interface EngineProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  readonly process: ChildProcess
  /** Highest resident memory so far, bytes. */
  peakBytes(): Promise<number>
  /** All that it logged so far. */
  log(): string
}

export const ENTRY = bundledForAll()?.engine ?? join(import.meta.dirname, '../../../workers/engine.ts')

/** The engine as a process of its own, as the worker starts it. */
export async function startEngine(
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<EngineProcess> {
  const child = spawn(process.execPath, [ENTRY, '--exit-with-parent', ...args], { stdio: 'pipe', env })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const exit = once(child, 'exit')
  const ended = exit.then(() => {
    throw new Error(`the engine ended before it listened: ${log}`)
  })
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
  ended.catch(() => undefined)
  const { url } = JSON.parse(line.toString()) as { readonly url?: string }
  // It said why it cannot start, and ends.
  if (url === undefined) return await ended
  const pid = child.pid ?? 0
  return {
    url,
    pid,
    process: child,
    peakBytes: async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
    },
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await exit
    },
  }
}
