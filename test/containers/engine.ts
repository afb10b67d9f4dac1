import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A container engine of this machine, with its compose. */
export interface ContainerEngine {
  readonly name: 'docker' | 'podman'
  readonly version: string
  /** Runs the engine's client; a code other than 0 is returned, not thrown. */
  exec(args: readonly string[], options?: ExecOptions): Promise<Ended>
  /** As `exec`; throws with what it printed unless it ends with 0. */
  must(args: readonly string[], options?: ExecOptions): Promise<string>
  compose(args: readonly string[], options?: ExecOptions): Promise<Ended>
}

export interface ExecOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** The first engine that works here, with a compose; or the reason why there is none. */
export async function findEngine(): Promise<ContainerEngine | string> {
  for (const name of ['docker', 'podman'] as const) {
    const info = await exec(name, ['info', '--format', '{{json .}}'], { timeoutMs: 20_000 })
    if (info.code !== 0) continue
    const composed = await composeOf(name)
    if (composed === null) return `${name} runs, and neither "${name} compose" nor "${name}-compose" is installed`
    const client = (args: readonly string[], options?: ExecOptions) => exec(name, args, options)
    return {
      name,
      version: (await client(['--version'])).stdout.trim(),
      exec: client,
      must: async (args, options) => {
        const ended = await client(args, options)
        if (ended.code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${ended.code}:\n${ended.stderr}`)
        return ended.stdout
      },
      compose: (args, options) => exec(composed[0], [...composed.slice(1), ...args], options),
    }
  }
  return 'no container engine'
}

async function composeOf(name: string): Promise<readonly [string, ...string[]] | null> {
  if ((await exec(name, ['compose', 'version'])).code === 0) return [name, 'compose']
  if ((await exec(`${name}-compose`, ['version'])).code === 0) return [`${name}-compose`]
  return null
}

async function exec(program: string, args: readonly string[], options: ExecOptions = {}): Promise<Ended> {
  const { env = {}, timeoutMs = 600_000 } = options
  try {
    const { stdout, stderr } = await run(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      maxBuffer: 64 * 1024 * 1024,
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
    return { code: typeof code === 'number' ? code : 1, stdout, stderr: stderr === '' ? String(error) : stderr }
  }
}
