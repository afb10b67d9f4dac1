import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { connectRedis, redactUrl } from '#src/redis/connection.ts'
import { listen } from '../support/listen.ts'
import { startTestRedis } from '../support/redis.ts'

test('the address of a Redis is shown without its password', () => {
  expect(redactUrl('redis://user:s3cret@one.example:6379/2')).toBe('redis://one.example:6379/2')
  expect(redactUrl('rediss://:p%40ss@one:1,rediss://u:s3cret@two:2')).toBe('rediss://one:1,rediss://two:2')
  expect(redactUrl('/tmp/redis.sock?password=s3cret&db=2')).toBe('/tmp/redis.sock?password=…&db=2')
  expect(redactUrl('redis://user:p/a@ss@host:1')).not.toContain('p/a')
  expect(redactUrl('redis+sentinel://:s3cret@one,two/m?sentinelPassword=t0p')).toBe(
    'redis+sentinel://one,two/m?sentinelPassword=…',
  )
})

test('a missing Redis is reported at once in one sentence, with the cause and without the password', async () => {
  const error = await connectRedis({ url: 'redis://user:s3cret@127.0.0.1:1', patienceMs: 600_000 }).catch(
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(Error)
  expect(error.message).toMatch(
    /^Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): check REDIS_URL /,
  )
  expect(String(error.cause)).toContain('ECONNREFUSED')
  expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('s3cret')
  const nowhere = connectRedis({ url: 'redis://queue.invalid', patienceMs: 600_000 })
  await expect(nowhere).rejects.toThrow(
    /^Redis at redis:\/\/queue\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/,
  )
})

test('a private Redis that does not come back is reported after the patience, without advice about REDIS_URL', async () => {
  const connecting = connectRedis({ url: '/nowhere/redis.sock', isRestarted: true, patienceMs: 200 })
  await expect(connecting).rejects.toThrow(
    'the private Redis at /nowhere/redis.sock cannot be reached (ENOENT): it ended and did not start again; ' +
      'run the command again, or set REDIS_URL',
  )
})

test('a wrong password of Redis is reported as the cause', async () => {
  await using redis = await startTestRedis()
  await redis.connection.config('SET', 'requirepass', 'right')
  const error = await connectRedis({ url: `${redis.url}?password=wrong`, patienceMs: 500 }).catch((thrown) => thrown)
  expect(String(error.cause)).toMatch(/WRONGPASS|NOAUTH/)
  const connection = await connectRedis({ url: `${redis.url}?password=right` })
  expect(await connection.ping()).toBe('PONG')
  connection.disconnect()
})

test('the wait for the first connection to Redis ends when it is aborted', async () => {
  await using silent = await listen(createServer((socket) => void socket.resume()))
  const connecting = connectRedis({ url: `redis://127.0.0.1:${silent.port}` }, AbortSignal.timeout(50))
  await expect(connecting).rejects.toThrow(/aborted|timeout/i)
})

test('a connection to Redis batches the commands of one event-loop turn, and answers them in order', async () => {
  await using redis = await startTestRedis()
  const connection = await connectRedis({ url: redis.url })
  if (!(connection instanceof Redis)) throw new Error('a single server was asked for')
  const first = connection.incr('turn')
  const others = nextTick().then(() => [connection.incr('turn'), connection.incr('turn')])
  await nextTick()
  expect(connection.stream.writableCorked).toBe(1)
  expect(connection.stream.writableLength).toBeGreaterThan(3 * 'incr turn'.length)
  expect(await Promise.all([first, ...(await others)])).toEqual([1, 2, 3])
  expect(connection.stream.writableCorked).toBe(0)
  connection.disconnect()
})

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
