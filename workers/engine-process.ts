import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface EngineProcess extends AsyncDisposable {
  readonly url: string
  /** Resolves with a sentence when the engine ends by itself; never while it lives. */
  readonly ended: Promise<string>
}

export interface EngineProcessOptions {
  readonly processes: number
  /** Whether it may scrape what lies on private networks. */
  readonly allowPrivateAddresses: boolean
  /** Where the engine finds its further settings, beside the environment. */
  readonly configFile: string | null
  readonly cacheDir: string
  /** The engine's own log file. */
  readonly logFile: string
}

/** How long the engine may take until it listens; a cold disk and a busy machine included. */
const START_MS = 60_000

/**
 * Starts the embedded engine in its own process, on a free port of loopback. It ends with us, however we end: it
 * watches its standard input, which closes with this process.
 */
export async function startEngineProcess(options: EngineProcessOptions): Promise<EngineProcess> {
  const entry = fileURLToPath(
    new URL(`./engine${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
  )
  const child = spawn(
    process.execPath,
    [
      entry,
      '--exit-with-parent',
      `--children=${options.processes}`,
      ...(options.allowPrivateAddresses ? ['--allow-private-addresses'] : []),
      ...(options.configFile === null ? [] : [`--config=${options.configFile}`]),
    ],
    // A session of its own: Ctrl-C on the terminal is for us, so that what is under way can be finished.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  const ended = once(child, 'exit').then(([code, signal]) => `the engine ended (${String(signal ?? code)})`)
  const ready = readyLine(child.stdout)
  const url = await Promise.race([ready, ended.then(fail), timedOut()])
  return {
    url,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
    },
  }
}

/** The engine says once where it listens: `{"ready":true,"url":"http://127.0.0.1:40123"}`. */
async function readyLine(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const said: unknown = JSON.parse(line)
    if (typeof said === 'object' && said !== null && 'url' in said && typeof said.url === 'string') return said.url
  }
  return new Promise<never>(() => undefined)
}

function fail(reason: string): never {
  throw new Error(`${reason} before it was ready; its log says why`)
}

async function timedOut(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, START_MS).unref())
  throw new Error(`the engine did not start within ${START_MS / 1000} s`)
}
