import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { startSluice } from '../support/sluice.ts'

/** A bucket whose store answers everything with an empty listing, and does not come to an end with its records. */
async function slowBucket() {
  const asked = Promise.withResolvers<void>()
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('prefix=documents')) asked.resolve()
    else if (url.includes('store.json')) response.writeHead(404).end()
    else response.end('<ListBucketResult></ListBucketResult>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: asked.promise,
    [Symbol.dispose]: () => server.close().closeAllConnections(),
  }
}

test.each([
  ['run', 130],
  ['watch', 0],
])(
  'sluice %s that is stopped while it still looks through its store ends in peace',
  async (command, code) => {
    using store = await slowBucket()
    await using folder = await temporaryFolder()
    const api = ['--parse-api-url', 'http://127.0.0.1:1', '--parse-api-key', 'key']
    const places = ['--out', 's3://bucket', '--s3-endpoint', store.endpoint, '--state-dir', `${folder.path}/state`]
    const running = startSluice([command, folder.path, ...places, ...api], {
      env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    })
    await store.asked
    running.child.kill('SIGTERM')
    const end = await running.finished
    expect(end.stderr).not.toMatch(/^ +at /m)
    expect(end.code).toBe(code)
  },
  60_000,
)
