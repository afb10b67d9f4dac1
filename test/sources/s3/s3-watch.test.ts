import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, describe, expect, test } from 'vitest'
import { httpNotices } from '#src/sources/notifications/http-notices.ts'
import { type S3WatchOptions, watchS3 } from '#src/sources/s3/s3-watch.ts'
import { sqsNotices } from '#src/sources/notifications/sqs-notices.ts'
import { pushNotifications } from '../../support/s3-notifications.ts'
import { type S3Server, startS3Server } from '../../support/s3-server.ts'
import { startQueue } from '../../support/sqs-queue.ts'
import { followed } from '../followed.ts'
import { elapse, until } from '../../support/wait.ts'

const server = await startS3Server()

if (server.kind === 'unavailable') {
  describe.skip(`the S3 watch: ${server.reason}`, () => test('reports changes of a bucket', () => {}))
} else testWatch(server)

function testWatch(s3: S3Server): void {
  const { client } = s3
  afterAll(() => s3[Symbol.asyncDispose]())

  const newBucket = async () => {
    const bucket = await s3.newBucket()
    return {
      bucket,
      put: (key: string, body: string) =>
        client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.from(body) })),
      remove: (key: string) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })),
    }
  }

  const follow = (options: Omit<S3WatchOptions, 'client'>, hold?: Promise<void>) =>
    followed(watchS3({ client, ...options }), hold)

  describe('the S3 watch', () => {
    test('starts with a full listing, and polls when no notifications are configured', async () => {
      const { bucket, put } = await newBucket()
      await put('in/a.pdf', 'one')
      await using watch = follow({ bucket, prefix: 'in', rescanMs: 200 })
      await watch.until('document a.pdf')
      await put('in/b.pdf', 'two')
      await watch.until('document b.pdf')
    })

    test('applies the current .sluiceignore to listings and to notifications', async () => {
      const { bucket, put } = await newBucket()
      await put('in/.sluiceignore', 'drafts/')
      await put('in/drafts/a.pdf', 'one')
      await using notices = await httpNotices({ port: 0, token: 'secret' })
      await pushNotifications(s3, client, bucket, `${notices.url}?token=secret`)
      await using watch = follow({ bucket, prefix: 'in/', notices })
      await put('in/drafts/b.pdf', 'two')
      await put('in/c.pdf', 'three')
      await watch.until('document c.pdf')
      await put('in/.sluiceignore', '')
      await put('in/drafts/d.pdf', 'four')
      await watch.until('document drafts/d.pdf')
      expect(watch.words().filter((word) => /document drafts\/[ab]/.test(word))).toEqual([])
    })

    test('reports created and deleted objects that a real store pushes to the endpoint', async () => {
      const { bucket, put, remove } = await newBucket()
      await using notices = await httpNotices({ port: 0, token: 'secret' })
      await pushNotifications(s3, client, bucket, `${notices.url}?token=secret`)
      await using watch = follow({ bucket, prefix: 'in/', exclude: ['*.txt'], notices })
      await Promise.all([put('in/a b+c %20 é.pdf', 'one'), put('in/no.txt', 'x'), put('elsewhere/c.pdf', 'x')])
      await watch.until('document a b+c %20 é.pdf')
      await remove('in/a b+c %20 é.pdf')
      await watch.until('gone a b+c %20 é.pdf')
      // What was put while the bucket was listed may be reported twice.
      const words = new Set(watch.words().filter((word) => !word.startsWith('skipped')))
      expect(words.size).toBe(2)
    })

    test('takes messages from a queue and deletes them only after they are handled', async () => {
      const { bucket, put } = await newBucket()
      await using queue = await startQueue()
      await put('a b.pdf', 'one')
      const message = (key: string): string =>
        JSON.stringify({
          Records: [{ eventSource: 'aws:s3', s3: { bucket: { name: bucket }, object: { key, sequencer: '1' } } }],
        })
      await using notices = sqsNotices({ client: queue.sqs, queueUrl: queue.url, visibilitySeconds: 2 })
      const held = Promise.withResolvers<void>()
      await using watch = follow({ bucket, notices, rescanMs: 3_600_000 }, held.promise)
      await watch.until('document a b.pdf')
      for (const body of [
        '{"Event":"s3:TestEvent"}',
        message('a+b.pdf'),
        message('a+b.pdf'),
        message('gone.pdf'),
        'gibberish',
      ])
        await queue.send(body)
      // The first batch, the listing, is still held: nothing was taken from the queue.
      expect(await queue.count()).toEqual({ waiting: 5, hidden: 0 })
      const taken = watch.seen.length
      held.resolve()
      await watch.until('gone gone.pdf')
      expect(watch.words().slice(taken).toSorted()).toContain('document a b.pdf')
      await until('one notification is still in work', 5_000, async () => (await queue.count()).hidden <= 1)
      const { waiting, hidden } = await queue.count()
      expect(waiting + hidden).toBe(1)
    })

    test('keeps messages invisible to other consumers while they are in flight', async () => {
      await using queue = await startQueue()
      await queue.send('{"Records":[]}')
      await using notices = sqsNotices({ client: queue.sqs, queueUrl: queue.url, visibilitySeconds: 1 })
      const never = new AbortController().signal
      const [notice] = await notices.next(1000, never)
      await elapse(2500, 'longer than a notification is hidden without an extension')
      expect(await notices.next(0, never)).toEqual([])
      await notice?.done()
      expect(await queue.count()).toEqual({ waiting: 0, hidden: 0 })
    })

    test('releases messages at once when the consumer stops before they are handled', async () => {
      const { bucket, put } = await newBucket()
      await put('a.pdf', 'one')
      await using queue = await startQueue()
      await using notices = sqsNotices({ client: queue.sqs, queueUrl: queue.url })
      await queue.send(JSON.stringify({ Records: [{ s3: { bucket: { name: bucket }, object: { key: 'a.pdf' } } }] }))
      const stop = new AbortController()
      let batches = 0
      // The first batch is the listing, the second what the message points at.
      for await (const _ of watchS3({ client, bucket, notices }).changes(stop.signal)) if (++batches === 2) break
      expect(await queue.count()).toEqual({ waiting: 1, hidden: 0 })
    })
  })
}
