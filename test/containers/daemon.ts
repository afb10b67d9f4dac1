import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a daemon may take until it listens, and until it has ended. */
const START_MS = 60_000
const END_MS = 30_000

/** A Docker daemon of this test: its own socket, data and process. */
export interface Daemon extends AsyncDisposable {
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
