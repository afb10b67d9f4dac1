import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { listen } from '../support/listen.ts'
import { silentServer } from '../support/silent-server.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { elapse, until } from '../support/wait.ts'

/** No server listens on this port. */
const NOWHERE = [
  '--s3-endpoint',
  'http://127.0.0.1:1',
  '--parse-api-url',
  'http://127.0.0.1:1',
  '--parse-api-key',
  'key',
]

test.each([
  ['store', (folder: string) => [folder, '--out', 's3://bucket'], 'cannot open the store in s3://bucket/'],
  ['source', (folder: string) => ['s3://bucket/in', '--out', join(folder, 'out')], 'cannot list s3://bucket/in/'],
])(
  'sluice run exits with 1 and one sentence when the S3 %s cannot be reached',
  async (_, locationsIn, what) => {
    await using folder = await tempFolder()
    const end = await sluice(
      ['run', ...locationsIn(folder.path), '--state-dir', join(folder.path, 'state'), ...NOWHERE],
      {
        env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
      },
    )
    expect(end.stderr.trim().split('\n').at(-1)).toBe(
      `sluice: Sluice ${what}: the store cannot be reached (ECONNREFUSED). Check --s3-endpoint.`,
    )
    expect(end.code).toBe(1)
  },
  240_000,
)

test('sluice run names an unresponsive Redis, and ends at once when Redis is missing', async () => {
  await using folder = await tempFolder()
  await using silent = await listen(createServer((socket) => void socket.resume()))
  const run = ['run', folder.path, '--out', join(folder.path, 'out')]
  const running = startSluice([...run, '--redis-url', `redis://127.0.0.1:${silent.port}`])
  expect((await running.finished).code).toBe(1)
  expect(running.stderr()).toMatch(/^sluice: Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be reached \(no answer\): /m)
  const refused = await sluice([...run, '--redis-url', 'redis://127.0.0.1:1'])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/^sluice: Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): /m)
  expect(`${running.stderr()}${refused.stderr}`).not.toContain('the store')
}, 240_000)

test('sluice run names an unresponsive bucket while it waits, and stops at once', async () => {
  await using folder = await tempFolder()
  await using server = await silentServer()
  const service = ['--parse-api-url', 'http://127.0.0.1:1', '--parse-api-key', 'key']
  const flags = ['--s3-endpoint', server.url, '--state-dir', join(folder.path, 'state')]
  const running = startSluice(['run', folder.path, '--out', 's3://bucket', ...flags, ...service], {
    env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
  })
  const reported = (seconds: number): boolean =>
    running.stderr().includes(`waiting: the store has not answered for ${seconds} s; no request was sent yet\n`)
  await until('it is reported twice', 60_000, () => reported(10) && reported(20))
  running.child.kill('SIGINT')
  await until('the stop is reported', 20_000, () => running.stderr().includes('again to stop at once'))
  await elapse(1_100, 'a second Ctrl-C counts after a second')
  running.child.kill('SIGINT')
  expect((await running.finished).code).toBe(130)
}, 240_000)
