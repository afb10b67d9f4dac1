import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readStore } from '../support/check-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { pushNotifications } from '../support/s3-notifications.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { ScriptedService } from '../support/scripted-service.ts'
import { startSluice } from '../support/sluice.ts'
import { startQueue } from '../support/sqs-queue.ts'
import { until } from '../support/wait.ts'

/* `sluice watch s3://…` as a process, with notifications from a queue and from the store itself. */

const server = await startS3Server()

if (server.kind === 'unavailable') {
  describe.skip(`sluice watch on a bucket: ${server.reason}`, () => test('ingests changed objects', () => {}))
} else testWatching(server)

function testWatching(s3: S3Server): void {
  const { client } = s3
  afterAll(() => s3[Symbol.asyncDispose]())

  /** A bucket, and the program watching it, with no other scan than the first. */
  async function watching(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    await using resources = new AsyncDisposableStack()
    const folder = resources.use(await tempFolder())
    const service = resources.use(await new ScriptedService({}).listen())
    const bucket = await s3.newBucket()
    const put = async (key: string, text: string): Promise<void> => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `in/${key}`, Body: Buffer.from(text) }))
    }
    await put('first.csv', 'a\n1\n')
    const out = join(folder.path, 'out')
    const api = ['--parse-api-url', service.url, '--parse-api-key', 'test-key']
    const program = startSluice(
      ['watch', `s3://${bucket}/in`, '--out', out, '--s3-endpoint', s3.endpoint, ...api, ...flags],
      { env: { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey, ...env } },
    )
    resources.defer(async () => {
      program.child.kill('SIGINT')
      await program.finished
    })
    const keys = async (): Promise<string[]> => [...(await readStore(out)).records.keys()].sort()
    const all = resources.move()
    return {
      bucket,
      put,
      service,
      program,
      keys,
      log: () => readFile(join(out, '.sluice/sluice.log'), 'utf8').catch(() => ''),
      done: (key: string) => until(`${key} is done`, 20_000, async () => (await keys()).includes(key)),
      [Symbol.asyncDispose]: () => all.disposeAsync(),
    }
  }

  test('sluice doctor checks plain and conditional writes to a bucket, leaves no object, and reports a missing bucket', async () => {
    const bucket = await s3.newBucket()
    const doctor = async (store: string) => {
      const words = ['doctor', '--no-config', '--json', '--out', store, '--s3-endpoint', s3.endpoint]
      const env = { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }
      const { stdout } = await startSluice(words, { env }).finished
      const lines = stdout.split('\n').filter((line) => line.includes('"subject":"store"'))
      return lines.map((line) => JSON.parse(line) as { readonly level: string; readonly message: string })
    }
    const found = await doctor(`s3://${bucket}/parsed`)
    expect(found.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      `ok: s3://${bucket}/parsed can be written`,
      'ok: the bucket supports conditional writes',
    ])
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    expect(KeyCount).toBe(0)
    expect(await doctor('s3://no-such-bucket-here/parsed')).toMatchObject([{ level: 'problem' }])
  })

  describe('sluice watch on a bucket', () => {
    test('ingests objects from an SQS queue despite late, duplicate and reordered messages, and deletes all it can read', async () => {
      await using queue = await startQueue()
      await using watch = await watching(['--sqs-queue', queue.url])
      await watch.done('first.csv')
      const record = (key: string, sequencer: string, eventName = 'ObjectCreated:Put'): object => ({
        eventSource: 'aws:s3',
        eventName,
        s3: { bucket: { name: watch.bucket }, object: { key, sequencer } },
      })
      const reported = (...Records: object[]): Promise<unknown> => queue.send(JSON.stringify({ Records }))
      await watch.put('räksmörgås & co+1.csv', 'b\n2\n')
      await watch.put('second.csv', 'c\n3\n')
      await queue.send('{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"b"}')
      await reported(record('in/r%C3%A4ksm%C3%B6rg%C3%A5s+%26+co%2B1.csv', '2'))
      // Late, duplicate and out of order: the present object in the bucket decides.
      await reported(record('in/second.csv', '4', 'ObjectRemoved:Delete'), record('in/second.csv', '5'))
      await reported(record('in/second.csv', '5'), record('in/second.csv', '3', 'ObjectRemoved:Delete'))
      await reported(record('elsewhere/third.csv', '6'))
      // The client of AWS warns of queues of other servers.
      expect(watch.program.stderr()).not.toMatch(/QueueUrl|SQSClient/)
      await queue.send('gibberish')
      await Promise.all([watch.done('räksmörgås & co+1.csv'), watch.done('second.csv')])
      // The unreadable message stays for the queue's redrive policy; all others are deleted.
      await until('the messages are deleted', 10_000, async () => {
        const { waiting, hidden } = await queue.count()
        return waiting + hidden === 1
      })
      expect(await watch.keys()).toEqual(['first.csv', 'räksmörgås & co+1.csv', 'second.csv'])
      expect(watch.service.charged).toBe(3)
    }, 240_000)

    test('ingests objects that the store pushes to its endpoint with the token, and answers 401 without it', async () => {
      await using watch = await watching(['--events-port', '0'], { EVENTS_TOKEN: 'push-secret' })
      const said = /received at (http:\S+\/events\/s3)/
      await until('the endpoint is there', 20_000, () => said.test(watch.program.stderr()))
      const url = said.exec(watch.program.stderr())?.[1] ?? ''
      expect((await fetch(url, { method: 'POST', body: '{"Records":[]}' })).status).toBe(401)
      await watch.done('first.csv')
      await pushNotifications(s3, client, watch.bucket, `${url}?token=push-secret`)
      await Promise.all(['a b+c.csv', 'd%20e.csv'].map((name) => watch.put(name, `${name}\n1\n`)))
      await Promise.all([watch.done('a b+c.csv'), watch.done('d%20e.csv')])
      await watch.put('first.csv', 'a\nchanged\n')
      await until('the change is parsed', 20_000, () => watch.service.charged === 4)
      expect(`${watch.program.stderr()}${await watch.log()}`).not.toContain('push-secret')
    }, 240_000)

    test.each(['a queue', 'the store'])(
      'ingests each object of two pipelines once when both share the notifications of %s',
      async (by) => {
        await using folder = await tempFolder()
        await using service = await new ScriptedService({}).listen()
        await using redis = await startTestRedis()
        await using queue = await startQueue()
        const bucket = await s3.newBucket()
        const reported = by === 'a queue' ? { SLUICE_SQS_QUEUE: queue.url } : { SLUICE_EVENTS_PORT: '0' }
        const pipelines = ['one', 'two'].map(
          (name) => `  ${name}: { source: "s3://${bucket}/${name}", out: out/${name} }\n`,
        )
        await writeFile(join(folder.path, 'sluice.yaml'), `pipelines:\n${pipelines.join('')}`)
        const api = { PARSE_API_URL: service.url, PARSE_API_KEY: 'test-key' }
        const env = { ...s3.env, ...api, ...reported, REDIS_URL: redis.url }
        const [watch, worker] = ['watch', 'work'].map((command) => startSluice([command], { cwd: folder.path, env }))
        const stderr = (): string => `${watch?.stderr()}${worker?.stderr()}`
        try {
          await until('both stand', 40_000, () => (stderr().match(/Ctrl-C to stop/g) ?? []).length === 2)
          if (by === 'the store') {
            const said = /received at (http:\S+\/events\/s3)/
            await until('the endpoint is there', 20_000, () => said.test(stderr()))
            await pushNotifications(s3, client, bucket, said.exec(stderr())?.[1] ?? '')
          }
          const wanted = ['one', 'two'].flatMap((name) => [1, 2, 3, 4, 5, 6].map((number) => `${name}/${number}.csv`))
          await Promise.all(
            wanted.map(async (Key) => {
              await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: `${Key}\n1\n` }))
              const record = { eventSource: 'aws:s3', s3: { bucket: { name: bucket }, object: { key: Key } } }
              if (by === 'a queue') await queue.send(JSON.stringify({ Records: [record] }))
            }),
          )
          await until('all are done', 30_000, async () => {
            const stores = await Promise.all(['one', 'two'].map((name) => readStore(join(folder.path, 'out', name))))
            return stores.every(({ records }) => records.size === 6)
          })
          if (by === 'a queue') {
            await until('the messages are deleted', 10_000, async () => {
              const { waiting, hidden } = await queue.count()
              return waiting + hidden === 0
            })
          }
        } finally {
          for (const program of [watch, worker]) program?.child.kill('SIGINT')
          await Promise.all([watch?.finished, worker?.finished])
        }
        expect([service.charged, (await watch?.finished)?.code, (await worker?.finished)?.code]).toEqual([12, 0, 0])
      },
      240_000,
    )

    test('refuses --events-port together with --sqs-queue', async () => {
      await using watch = await watching(['--events-port', '0', '--sqs-queue', 'http://127.0.0.1:1/q'])
      expect((await watch.program.finished).stderr).toMatch(/receive the same notifications: give only one/)
    }, 240_000)
  })
}
