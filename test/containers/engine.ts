import { execFile, type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { resolve, join } from 'node:path'
import { promisify } from 'node:util'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a daemon may take until it listens, and until it has ended. */
const START_MS = 60_000
const END_MS = 30_000

/** A Docker daemon of this test: its own socket, data and process. */
interface Daemon extends AsyncDisposable {
  /** For DOCKER_HOST. */
  readonly host: string
}

/** Starts dockerd where it is installed and none runs; or the reason why it cannot be started. Needs root. */
export async function startDaemon(): Promise<Daemon | string> {
  const program = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
    .map((folder) => join(folder, 'dockerd'))
    .find((path) => existsSync(path))
  if (program === undefined) return 'dockerd is not installed'
  if (process.getuid?.() !== 0) return 'dockerd does not run, and only root may start it'
  const folder = await mkdtemp(join(tmpdir(), 'sluice-dockerd-'))
  const socket = join(folder, 'docker.sock')
  const logFile = join(folder, 'log')
  const log = await open(logFile, 'w')
  const folders = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  const child = spawn(program, [...folders, '--pidfile', join(folder, 'pid'), '--host', `unix://${socket}`], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  child.on('error', () => undefined)
  await log.close()
  const dispose = async (): Promise<void> => {
    await end(child)
    // Never into a file system that is still mounted below it.
    spawnSync('rm', ['-rf', '--one-file-system', folder])
  }
  if (await listens(child, logFile)) return { host: `unix://${socket}`, [Symbol.asyncDispose]: dispose }
  const reason = lastError(await readFile(logFile, 'utf8'))
  await dispose()
  return `dockerd cannot start: ${reason}`
}

async function listens(child: ChildProcess, logFile: string): Promise<boolean> {
  const deadline = performance.now() + START_MS
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    if ((await readFile(logFile, 'utf8')).includes('API listen on')) return true
    await sleep(200)
  }
  return false
}

function lastError(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '')
  return (lines.findLast((line) => /level=(?:fatal|error)|failed/.test(line)) ?? lines.at(-1) ?? 'no reason was given')
    .replace(/^.*?msg="?/, '')
    .slice(0, 300)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([ended, sleep(END_MS, undefined, { ref: false })])
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

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
