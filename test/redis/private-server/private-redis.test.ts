import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from '#config/child-environment.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { openEmbeddedRedis } from '#src/redis/private-server/private-redis.ts'
import { probeRedis } from '#src/redis/probe.ts'
import { startProcess } from '../../support/child.ts'
import { isAlive } from '../../support/process-tree.ts'
import { REDIS_CACHE_DIR, serverPid } from '../../support/redis.ts'
import { until } from '../../support/wait.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-test-embedded-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const open = () => openEmbeddedRedis({ dataDir, cacheDir: REDIS_CACHE_DIR, env: childEnvironment({ web: false }) })
const startOwner = () => startProcess('redis-owner.ts', [dataDir, REDIS_CACHE_DIR])

async function withConnection<T>(url: string, use: (client: Awaited<ReturnType<typeof connectRedis>>) => Promise<T>) {
  const client = await connectRedis({ url })
  try {
    return await use(client)
  } finally {
    client.disconnect()
  }
}

describe('openEmbeddedRedis', () => {
  test('starts a server that only this user can reach, which keeps everything and evicts nothing', async () => {
    const server = await open()
    await withConnection(server.url, async (client) => {
      const config = async (name: string): Promise<unknown> => ((await client.config('GET', name)) as unknown[])[1]
      expect(await config('port')).toBe('0')
      expect(await config('appendonly')).toBe('yes')
      expect(await config('appendfsync')).toBe('everysec')
      expect(await config('maxmemory-policy')).toBe('noeviction')
    })
    expect((await stat(join(server.url, '..'))).mode & 0o777).toBe(0o700)
    expect(Buffer.byteLength(server.url)).toBeLessThan(104)
    await server[Symbol.asyncDispose]()
    expect(await probeRedis(server.url)).toBe('absent')
  })

  test('keeps its data after it was closed and opened again', async () => {
    const first = await open()
    await withConnection(first.url, (client) => client.set('kept', 'yes'))
    await first[Symbol.asyncDispose]()
    const second = await open()
    expect(await withConnection(second.url, (client) => client.get('kept'))).toBe('yes')
    await second[Symbol.asyncDispose]()
  })

  test('ends within seconds of a SIGKILL of its owner, and keeps its data for the next start', async () => {
    const owner = startOwner()
    const url = (await owner.line('ready')).slice('ready '.length)
    const pid = await withConnection(url, async (client) => {
      await client.set('kept', 'yes')
      return serverPid(client)
    })
    await owner.kill('SIGKILL')
    await until('the server ended', 3000, () => !isAlive(pid))
    const next = await open()
    expect(await withConnection(next.url, (client) => client.get('kept'))).toBe('yes')
    await next[Symbol.asyncDispose]()
  })

  test('starts again after a power loss that left the socket of a dead server', async () => {
    const owner = startOwner()
    const url = (await owner.line('ready')).slice('ready '.length)
    const pid = await withConnection(url, serverPid)
    process.kill(pid, 'SIGSTOP')
    await owner.kill('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await until('the server ended', 3000, () => !isAlive(pid))
    expect((await stat(url)).isSocket()).toBe(true)
    const next = await open()
    expect(await withConnection(next.url, (client) => client.ping())).toBe('PONG')
    await next[Symbol.asyncDispose]()
  })

  test('is shared by processes with the same data folder, and taken over when its owner is killed', async () => {
    const owner = startOwner()
    await owner.line('ready')
    const guest = await open()
    const client = await connectRedis({ url: guest.url })
    const firstPid = await serverPid(client)
    await client.set('kept', 'yes')
    await owner.kill('SIGKILL')
    await until('another server serves the guest', 5000, async () => (await serverPid(client)) !== firstPid)
    expect(await client.get('kept')).toBe('yes')
    client.disconnect()
    await guest[Symbol.asyncDispose]()
    expect(await probeRedis(guest.url)).toBe('absent')
  })

  test('starts exactly one server for processes that start at the same moment', async () => {
    const owners = [startOwner(), startOwner(), startOwner()]
    const ready = await Promise.all(owners.map((owner) => owner.line('ready')))
    expect(new Set(ready).size).toBe(1)
    const log = await readFile(join(dataDir, 'redis.log'), 'utf8')
    expect(log.match(/ready to accept connections/gi)).toHaveLength(1)
    await Promise.all(owners.map((owner) => owner.kill('SIGKILL')))
  })

  test('restarts on its data when the server is killed', async () => {
    const server = await open()
    const client = await connectRedis({ url: server.url })
    await client.set('kept', 'yes')
    process.kill(await serverPid(client), 'SIGKILL')
    await until('the data are back', 5000, async () => (await client.get('kept')) === 'yes')
    client.disconnect()
    await server[Symbol.asyncDispose]()
  })

  test('makes a client that connects between two servers wait for the next one', async () => {
    const server = await open()
    const pid = await withConnection(server.url, serverPid)
    process.kill(pid, 'SIGKILL')
    await until('the server ended', 3000, () => !isAlive(pid))
    const client = await connectRedis({ url: server.url, isRestarted: true })
    expect(await client.ping()).toBe('PONG')
    client.disconnect()
    await server[Symbol.asyncDispose]()
  })

  test('starts the known server without a trial, and searches for another when it is unusable', async () => {
    await (await open())[Symbol.asyncDispose]()
    const file = join(dataDir, 'redis-server.json')
    const known = JSON.parse(await readFile(file, 'utf8')) as { command: string; libraries: string }
    expect(known.command).toMatch(/^\/.*-server$/)
    // As large and as old as it says, and no server.
    const broken = join(dataDir, 'broken-server')
    await writeFile(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { size, mtimeMs } = await stat(broken)
    await writeFile(file, JSON.stringify({ ...known, command: broken, size, mtimeMs }))
    const server = await open()
    expect(await withConnection(server.url, (client) => client.ping())).toBe('PONG')
    await server[Symbol.asyncDispose]()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ command: known.command })
  })

  test('reports in one sentence why a server cannot start', async () => {
    const first = await open()
    await withConnection(first.url, (client) => client.set('kept', 'yes'))
    await first[Symbol.asyncDispose]()
    await rm(join(dataDir, 'appendonlydir', 'appendonly.aof.1.base.rdb'))
    await expect(open()).rejects.toThrow(/redis-server does not start: .*append/i)
  })

  test('mentions no restart when the server cannot start at all', async () => {
    await writeFile(join(dataDir, 'appendonlydir'), 'no folder')
    const said: string[] = []
    const options = { dataDir, cacheDir: REDIS_CACHE_DIR, notify: (line: string) => said.push(line) }
    await expect(openEmbeddedRedis(options)).rejects.toThrow(/redis-server does not start: /)
    expect(said).toEqual([])
  })

  test('names the disk when nothing can be written', async (context) => {
    const script = [
      'mount -t tmpfs -o nr_inodes=4 tmpfs "$1" && mkdir "$1/data" "$1/full" && : > "$1/data/redis.lock"',
      '"$2" "$3" "$1/data" "$4"',
    ]
    const owner = join(import.meta.dirname, '../../support/processes/redis-owner.ts')
    const args = ['-rm', 'sh', '-c', script.join(' && '), 'sh', dataDir, process.execPath, owner, REDIS_CACHE_DIR]
    const { stderr } = await promisify(execFile)('unshare', args).catch((error: { readonly stderr: string }) => error)
    if (/unshare|mount/.test(stderr)) context.skip('nothing can be mounted here')
    expect(stderr).toMatch(/the private Redis cannot write .*\/data\/probe-\d+: the disk is full/)
  })
})
