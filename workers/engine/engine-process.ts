import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#config/child-environment.ts'
import { DependencyUnusable } from '#src/document/dependency.ts'
import { NODE_FLAGS } from '#src/kit/node-process.ts'
import type { EngineOptions } from '@sluice/engine'
import { removeOrphanedFolders } from '@sluice/engine'
import { sharePriority } from '../process/scheduling-priority.ts'

export interface EngineProcess extends AsyncDisposable {
  readonly url: string
  /** Resolves with the way the process ended, `SIGKILL` or `exit code 1`, after its leftover files are removed. */
  readonly ended: Promise<string>
}

/** The engine reports that it cannot start, for example without a converter. A retry would end the same way. */
export class EngineRefused extends DependencyUnusable {}

/** Start timeout of the engine, sized for a cold disk and a busy machine. */
const START_MS = 60_000

/** Shutdown timeout of the engine. */
const END_MS = 5_000

const PROGRAM = new URL(`./engine${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/**
 * Starts the embedded engine in its own process. The engine ends with this process in every case: it watches its
 * standard input, which closes with this process.
 *
 * @throws {EngineRefused} if the engine reports that it cannot start
 * @throws {DependencyUnusable} if the engine ends before it listens, or reaches the start timeout
 */
export async function startEngineProcess(options: EngineOptions, signal: AbortSignal): Promise<EngineProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, fileURLToPath(PROGRAM)], {
    env: childEnvironment({ web: true }),
    stdio: ['pipe', 'pipe', 'inherit'],
    // A separate session: Ctrl-C on the terminal reaches this process alone, and requests in flight can finish.
    detached: true,
  })
  child.stdin.on('error', () => undefined)
  child.stdin.write(`${JSON.stringify(options)}\n`)
  void sharePriority(child.pid)
  const ended = once(child, 'exit').then(async ([code, by]) => {
    if (by === null) return `exit code ${String(code)}`
    // The engine could not remove its temporary files, and the next engine may start days later.
    await removeOrphanedFolders(options.temporaryFolder).catch(() => undefined)
    return String(by)
  })
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
  try {
    const url = await Promise.race([readyLine(child.stdout), ended.then(failedToStart), aborted(deadline)])
    return {
      url,
      ended,
      [Symbol.asyncDispose]: async () => {
        child.stdin.end()
        const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
        await ended
        clearTimeout(late)
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/**
 * Reads the one line that the engine prints: `{"ready":true,"url":"http://127.0.0.1:40123"}`, or the reason for a
 * failed start.
 */
async function readyLine(stdout: NodeJS.ReadableStream): Promise<string> {
  const { createInterface } = await import('node:readline')
  for await (const line of createInterface({ input: stdout })) {
    const said: unknown = JSON.parse(line)
    if (typeof said !== 'object' || said === null) continue
    if ('url' in said && typeof said.url === 'string') return said.url
    if ('reason' in said) throw new EngineRefused(String(said.reason))
  }
  return new Promise<never>(() => undefined)
}

function failedToStart(how: string): never {
  throw new DependencyUnusable(`its process ended during start-up (${how})`)
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  if (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError') {
    throw new DependencyUnusable(`it did not start within ${START_MS / 1000} s`)
  }
  throw signal.reason
}
