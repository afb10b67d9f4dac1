import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export interface TestRedis extends AsyncDisposable {
  readonly redis: Redis
  readonly path: string
}

/** A Redis of this test alone, on a socket in a folder of its own. */
export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-gate-'))
  const path = join(folder, 'redis.sock')
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', folder], {
    stdio: 'ignore',
  })
  const redis = new Redis(path, { retryStrategy: () => 20 })
  redis.on('error', () => {})
  await redis.ping()
  return {
    redis,
    path,
    [Symbol.asyncDispose]: async () => {
      redis.disconnect()
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
