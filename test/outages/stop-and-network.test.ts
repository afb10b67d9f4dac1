import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openS3Client } from '#src/s3/client.ts'
import { HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { tempFolder } from '../support/temp-folder.ts'
import { openProxy, silentServer } from '../support/silent-server.ts'
import { childrenOf, commandLine, isAlive } from '../support/process-tree.ts'
import { startScriptedStore } from '../support/scripted-store.ts'
import { type RunningSluice, startSluice } from '../support/sluice.ts'
import { OwnRedis } from './support/own-redis.ts'
import { Harness } from './support/harness.ts'
import { elapse } from '../support/wait.ts'

/** From the last signal to the end; the second signal promises 2 s, the rest is for a busy machine. */
const AT_ONCE_MS = 20_000

async function endedAfter(running: RunningSluice): Promise<number> {
  const askedAt = performance.now()
  await running.finished
  return performance.now() - askedAt
}

async function saidFinishing(running: RunningSluice): Promise<void> {
  await vi.waitFor(() => expect(running.stderr()).toContain('finishing'), { timeout: 60_000, interval: 20 })
  await elapse(1_100, 'a second Ctrl-C counts after a second')
}

/** A run whose output bucket has accepted a connection and does not answer. */
async function startedWithSilentBucket(
  harness: Harness,
  redis: OwnRedis,
  silent: Awaited<ReturnType<typeof silentServer>>,
): Promise<RunningSluice> {
  const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const flags = {
    'redis-url': redis.url,
    'state-dir': `${harness.source}-state`,
    's3-endpoint': silent.url,
    out: 's3://bucket/out',
  }
  const running = harness.start('run', flags, { env })
  await vi.waitFor(() => expect(silent.connections()).toBeGreaterThan(0), { timeout: 240_000 })
  return running
}

describe.concurrent('a second Ctrl-C ends the process', () => {
  test('while the download of redis-server hangs', async () => {
    await using harness = await Harness.open({ documents: 1 })
    await using folder = await tempFolder()
    // A machine whose only programs are those that hang.
    const apt = join(folder.path, 'apt-get')
    await writeFile(apt, '#!/bin/sh\n/bin/sleep 600\n')
    await chmod(apt, 0o755)
    const PATH = folder.path
    const running = harness.start('run', { 'cache-dir': join(folder.path, 'cache') }, { env: { PATH } })
    await vi.waitFor(() => expect(running.stderr()).toContain('fetching redis-server'), { timeout: 240_000 })
    await elapse(200, 'the download is in progress')
    running.child.kill('SIGINT')
    expect(await endedAfter(running)).toBeLessThan(AT_ONCE_MS)
  }, 240_000)

  test('while a bucket accepts connections and answers nothing', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 1 })
    await using silent = await silentServer()
    const running = await startedWithSilentBucket(harness, redis, silent)
    running.child.kill('SIGINT')
    await saidFinishing(running)
    running.child.kill('SIGINT')
    expect(await endedAfter(running)).toBeLessThan(AT_ONCE_MS)
    expect((await running.finished).code).toBe(130)
  }, 240_000)

  test('while Redis is frozen', async () => {
    await using redis = await OwnRedis.start()
    await using harness = await Harness.open({ documents: 30, reply: () => ({ delayMs: 50 }) })
    const running = harness.start('run', { 'redis-url': redis.url, concurrency: 2 })
    await harness.requested(3, running)
    await redis.kill()
    running.child.kill('SIGINT')
    await saidFinishing(running)
    running.child.kill('SIGINT')
    expect(await endedAfter(running)).toBeLessThan(AT_ONCE_MS)
  }, 240_000)
})

test('the grace period is a hard limit while the bucket answers nothing', async () => {
  await using redis = await OwnRedis.start()
  await using harness = await Harness.open({ documents: 1 })
  await using silent = await silentServer()
  const running = await startedWithSilentBucket(harness, redis, silent)
  running.child.kill('SIGTERM')
  expect(await endedAfter(running)).toBeLessThan(60_000)
  expect(running.stderr()).toContain('stopped at the time limit')
}, 240_000)

test('a run whose Redis lost its watcher still ends, and leaves no server and no folder', async () => {
  await using harness = await Harness.open({ documents: 40, reply: () => ({ delayMs: 50 }) })
  await using folder = await tempFolder()
  await mkdir(join(folder.path, 't'))
  const running = harness.start('run', { concurrency: 2 }, { env: { TMPDIR: join(folder.path, 't') } })
  await harness.requested(3, running)
  const [guard = 0] = await childrenOf(running.child.pid ?? 0)
  const parts = await childrenOf(guard)
  const watchers = []
  for (const pid of parts) if ((await commandLine(pid))[0] === 'sh') watchers.push(pid)
  expect(watchers.length).toBe(1)
  for (const pid of watchers) process.kill(pid, 'SIGKILL')
  const { code } = await running.finished
  expect(code).toBe(0)
  await vi.waitFor(() => expect([guard, ...parts].filter(isAlive)).toEqual([]), { timeout: 240_000 })
  expect((await readdir(join(folder.path, 't'))).filter((name) => name.startsWith('sluice-'))).toEqual([])
}, 240_000)

test('redis-server ends when its guard, the watcher and the run are all killed', async (context) => {
  if (spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status !== 0) context.skip('there is no setpriv')
  await using harness = await Harness.open({ documents: 40, reply: () => ({ delayMs: 50 }) })
  const running = harness.start('run', { concurrency: 2 })
  await harness.requested(3, running)
  const [guard = 0] = await childrenOf(running.child.pid ?? 0)
  const parts = await childrenOf(guard)
  const servers: number[] = []
  for (const pid of parts) if (/redis-server/.test((await commandLine(pid))[0] ?? '')) servers.push(pid)
  expect(servers.length).toBe(1)
  for (const pid of [running.child.pid ?? 0, guard, ...parts]) if (!servers.includes(pid)) process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(servers.filter(isAlive)).toEqual([]), { timeout: 240_000 })
}, 240_000)

describe.concurrent('a proxy of the environment', () => {
  test('carries the requests to the service, and none to hosts that NO_PROXY names', async () => {
    await using proxy = await openProxy()
    await using harness = await Harness.open({ documents: 5 })
    // Five documents, and the question about the account's concurrency.
    const through = await harness.run({}, { env: { HTTP_PROXY: proxy.url } })
    expect([through.code, proxy.connections()]).toEqual([0, 6])
    await harness.expectAllPaidOnce(5)
    await harness.write('more.html', '<p>more</p>')
    const direct = await harness.run({}, { env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' } })
    expect([direct.code, proxy.connections()]).toEqual([0, 6])
    await harness.expectAllPaidOnce(6)
  }, 240_000)

  test('is not used for the embedded engine', async () => {
    await using folder = await tempFolder()
    await mkdir(join(folder.path, 'in'))
    await writeFile(join(folder.path, 'in/a.csv'), 'a,b\n1,2\n')
    const args = ['run', join(folder.path, 'in'), `--out=${join(folder.path, 'out')}`]
    const { code } = await startSluice(args, { env: { HTTP_PROXY: 'http://127.0.0.1:9' } }).finished
    expect(code).toBe(0)
  }, 240_000)

  test('carries the requests to a bucket', async () => {
    await using proxy = await openProxy()
    await using store = await startScriptedStore((_, response) => void response.writeHead(200).end())
    const endpoint = await store.client.config.endpoint?.()
    const client = openS3Client({
      endpoint: `http://${endpoint?.hostname}:${endpoint?.port}`,
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      network: { proxyEnv: { HTTP_PROXY: proxy.url } },
    })
    await client.send(new HeadBucketCommand({ Bucket: 'bucket' }))
    client.destroy()
    expect(proxy.connections()).toBe(1)
  })
})

test('a PUT that a bucket never answers times out', async () => {
  await using silent = await silentServer()
  const client = openS3Client({
    endpoint: silent.url,
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    network: { timeouts: { requestMs: 300 } },
  })
  const put = new PutObjectCommand({ Bucket: 'bucket', Key: 'key', Body: 'body' })
  await expect(client.send(put)).rejects.toMatchObject({ name: 'TimeoutError' })
  client.destroy()
}, 240_000)
