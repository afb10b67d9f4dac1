import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { startSluice } from '../support/sluice.ts'
import { startScriptedStore } from '../support/scripted-store.ts'

/** A bucket whose store answers everything with an empty listing, and does not come to an end with its records. */
async function slowBucket() {
  const asked = Promise.withResolvers<void>()
  const store = await startScriptedStore(({ url = '' }, response) => {
    if (url.includes('prefix=documents')) asked.resolve()
    else if (url.includes('store.json')) response.writeHead(404).end()
    else response.end('<ListBucketResult></ListBucketResult>')
  })
  return { ...store, asked: asked.promise }
}

test.each([
  ['run', 130],
  ['watch', 0],
])(
  'sluice %s stopped while it reads its store ends without an error',
  async (command, code) => {
    await using store = await slowBucket()
    await using folder = await tempFolder()
    const api = ['--parse-api-url', 'http://127.0.0.1:1', '--parse-api-key', 'key']
    const locations = ['--out', 's3://bucket', '--s3-endpoint', store.endpoint, '--state-dir', `${folder.path}/state`]
    const running = startSluice([command, folder.path, ...locations, ...api], {
      env: { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    })
    await store.asked
    running.child.kill('SIGTERM')
    const end = await running.finished
    expect(end.stderr).not.toMatch(/^ +at /m)
    expect(end.code).toBe(code)
  },
  240_000,
)
