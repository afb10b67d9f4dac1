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
  /** Tells its client which daemon to use. */
  readonly env: Readonly<Record<string, string>>
  version(): Promise<string>
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

const PROBES = {
  docker: ['version', '--format', '{{.Server.Version}}'],
  podman: ['info', '--format', '{{.Version.Version}}'],
} as const

/** The first engine that works here, with a compose; or the reason why there is none. `env` is for its client. */
export async function findEngine(env: Readonly<Record<string, string>> = {}): Promise<ContainerEngine | string> {
  const reasons: string[] = []
  for (const name of ['docker', 'podman'] as const) {
    const exec = executing(env)
    const probe = await exec(name, PROBES[name], { timeoutMs: 20_000 })
    const compose = probe.code === 0 ? await composeOf(name, exec) : null
    if (compose !== null) return engineOf(name, compose, env)
    reasons.push(
      probe.code === 0
        ? `${name} runs, and neither "${name} compose" nor "${name}-compose" is installed`
        : reasonOf(name, probe),
    )
  }
  return reasons.join('; ')
}

function reasonOf(name: string, { stderr }: Ended): string {
  if (/ENOENT|EACCES/.test(stderr)) return `${name} is not installed`
  return stderr.trim().split('\n').at(-1) ?? `${name} does not answer`
}

function engineOf(name: 'docker' | 'podman', compose: Compose, env: Readonly<Record<string, string>>): ContainerEngine {
  const exec = executing(env)
  const client = (args: readonly string[], options?: ExecOptions) => exec(name, args, options)
  return {
    name,
    env,
    version: async () => (await client(['--version'])).stdout.trim(),
    exec: client,
    must: async (args, options) => {
      const ended = await client(args, options)
      if (ended.code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${ended.code}:\n${ended.stderr}`)
      return ended.stdout
    },
    compose: (args, options) => exec(compose[0], [...compose.slice(1), ...args], options),
  }
}

type Compose = readonly [program: string, ...words: string[]]
type Exec = (program: string, args: readonly string[], options?: ExecOptions) => Promise<Ended>

async function composeOf(name: string, exec: Exec): Promise<Compose | null> {
  if ((await exec(name, ['compose', 'version'])).code === 0) return [name, 'compose']
  if ((await exec(`${name}-compose`, ['version'])).code === 0) return [`${name}-compose`]
  return null
}

const executing =
  (clientEnv: Readonly<Record<string, string>>): Exec =>
  async (program, args, { env = {}, timeoutMs = 900_000 } = {}) => {
    try {
      const { stdout, stderr } = await run(program, args, {
        cwd: ROOT,
        env: { ...process.env, ...clientEnv, ...env },
        timeout: timeoutMs,
        maxBuffer: 64 * 1024 * 1024,
      })
      return { code: 0, stdout, stderr }
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
      return { code: typeof code === 'number' ? code : 1, stdout, stderr: stderr === '' ? String(error) : stderr }
    }
  }
