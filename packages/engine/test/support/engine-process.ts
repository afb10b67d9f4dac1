import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadSettings } from '../../../../config/load.ts'
import type { EngineOptions } from '../../src/server/engine-options.ts'
import { engineOptionsOf } from '../../../../workers/settings/engine-options-of.ts'

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

const ENTRY = join(import.meta.dirname, '../../../../workers/engine/engine.ts')

/** A process of the engine as a worker starts it, with one child unless `own` says otherwise. */
export function spawnEngine(own: Partial<EngineOptions> = {}, env: NodeJS.ProcessEnv = process.env) {
  const loaded = loadSettings({}, {}, {})
  if (!loaded.ok) throw new Error(loaded.problems.join('; '))
  const child = spawn(process.execPath, [ENTRY], { stdio: 'pipe', env })
  child.stdin.write(`${JSON.stringify({ ...engineOptionsOf(loaded.settings), children: 1, ...own })}\n`)
  return child
}

/** As `spawnEngine`, once it listens. */
export async function startEngine(
  own: Partial<EngineOptions> = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<EngineProcess> {
  return listening(spawnEngine(own, env))
}

/** The engine of a process, once it has written where it is. */
export async function listening(child: ChildProcessWithoutNullStreams): Promise<EngineProcess> {
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
