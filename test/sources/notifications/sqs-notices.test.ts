import { SQSClient } from '@aws-sdk/client-sqs'
import { expect, test, vi } from 'vitest'
import { queueProblem, sqsNotices } from '#src/sources/notifications/sqs-notices.ts'
import { noticesFor } from '#workers/open/s3-notices.ts'
import { freePort } from '../../support/free-port.ts'

const CREDENTIALS = { accessKeyId: 'key', secretAccessKey: 'secret' }

async function deadQueue() {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const client = new SQSClient({ region: 'us-east-1', endpoint, maxAttempts: 1, credentials: CREDENTIALS })
  return { client, queueUrl: `${endpoint}/1/queue` }
}

test('an SQS queue that does not answer is reported once and polled again by the running process', async () => {
  const reported: (string | null)[] = []
  const queue = await deadQueue()
  await using notices = sqsNotices({ ...queue, onOutage: (cause) => reported.push(cause) })
  const { signal } = new AbortController()
  expect(await notices.next(10, signal)).toEqual([])
  expect(await notices.next(10, signal)).toEqual([])
  expect(reported).toEqual(['ECONNREFUSED'])
  expect(await queueProblem(queue, signal)).toBe('ECONNREFUSED')
})

test('watch reports an SQS queue that cannot be reached in one sentence that names the setting', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  await using resources = new AsyncDisposableStack()
  const sqsQueue = (await deadQueue()).queueUrl
  const settings = { sqsQueue, s3Region: 'us-east-1' } as Parameters<ReturnType<typeof noticesFor>>[0]
  const opening = noticesFor(() => undefined, resources)(settings)
  await expect(opening).rejects.toThrow(`--sqs-queue ${sqsQueue} cannot be used (ECONNREFUSED): check its address`)
  vi.unstubAllEnvs()
}, 240_000)
