import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PlainBucket } from '../campaign/world/plain-s3.ts'
import { S3Proxy } from '../campaign/world/s3-proxy.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { errorReply, type ReceivedRequest, type Reply, ScriptedService } from '../support/scripted-service.ts'
import { type Finished, sluice, STACK_TRACE } from '../support/sluice.ts'
import { shared } from '../support/shared.ts'

const s3 = await shared(startS3Server())
const unavailable = s3.kind === 'unavailable' ? s3.reason : null
const name = unavailable === null ? 'a store in a bucket' : `a store in a bucket (not run: ${unavailable})`

const DOCUMENTS = 5

/** Runs into a bucket whose policy denies something; the first request is answered by a rejection of its document. */
async function open(denies: 'writes' | 'deletions') {
  if (s3.kind !== 'ready') throw new Error('no S3')
  await using resources = new AsyncDisposableStack()
  const proxy = resources.use(await S3Proxy.start(s3.endpoint))
  const folder = resources.use(await tempFolder())
  const redis = resources.use(await startTestRedis())
  const answers = ({ number }: ReceivedRequest): Reply => (number === 1 ? errorReply(422, 'damaged') : {})
  const service = resources.use(await new ScriptedService({ answers }).listen())
  const bucket = new PlainBucket(s3, `probe-${randomUUID().slice(0, 8)}`)
  await bucket.create()
  resources.defer(() => bucket.destroy())
  proxy.treat({ bucket: bucket.name, seed: 1, errorRate: 0, denies })
  const source = join(folder.path, 'in')
  await mkdir(source)
  const env = {
    ...s3.env,
    SLUICE_S3_ENDPOINT: proxy.endpoint,
    REDIS_URL: redis.url,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: 'test-key',
    SLUICE_STATE_DIR: join(folder.path, 'state'),
  }
  const out = `--out=s3://${bucket.name}/out/`
  const kept = resources.move()
  return {
    service,
    bucket,
    /** Writes every document anew and runs. */
    run: async (text: string): Promise<Finished> => {
      for (let number = 0; number < DOCUMENTS; number++) {
        await writeFile(join(source, `${number}.csv`), `a,b\n${number},${text}\n`)
      }
      return sluice(['run', source, out], { env })
    },
    failures: (): Promise<Finished> => sluice(['failures', out], { env }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

describe.skipIf(unavailable !== null)(name, () => {
  test('whose policy denies writes is refused before anything is bought, in one sentence', async () => {
    await using setup = await open('writes')
    const { code, stderr } = await setup.run('1')
    expect(stderr).not.toMatch(STACK_TRACE)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/access denied/i)])
    expect([setup.service.requests.length, await setup.bucket.list('')]).toEqual([0, []])
  }, 240_000)

  test('whose policy denies deletions only is used, with one warning that names the permission', async () => {
    await using setup = await open('deletions')
    const { code, stderr } = await setup.run('1')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot delete objects .*s3:DeleteObject/)])
    expect(stderr.match(/s3:DeleteObject/g)).toHaveLength(1)
    expect((await setup.failures()).stdout).toMatch(/damaged/)
    // What failed comes out well: its dead letter cannot be deleted, and counts no more.
    expect((await setup.run('2')).code).toBe(0)
    expect((await setup.failures()).stdout).not.toMatch(/damaged/)
    const objects = await setup.bucket.list('')
    expect(objects.filter((key) => key.endsWith('record.json'))).toHaveLength(DOCUMENTS)
    expect(setup.service.requests).toHaveLength(2 * DOCUMENTS)
  }, 240_000)
})
