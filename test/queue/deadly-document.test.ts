import { once } from 'node:events'
import { expect, test } from 'vitest'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { startProcess, type TestProcess } from '../support/child.ts'
import { documentJobs } from '../support/queue-jobs.ts'
import { startTestRedis } from '../support/redis.ts'
import { elapse } from '../support/wait.ts'

test('a document that kills every worker fails, and none of those in flight with it', async () => {
  await using redis = await startTestRedis()
  const pipeline = 'deadly'
  const queue = new DocumentQueue({ connection: redis.connection, pipeline })
  const jobs = documentJobs(6)
  const deadly = jobs[2]?.key ?? ''
  await queue.add(jobs)
  const workers: TestProcess[] = []
  const lines = (): string[] => workers.flatMap((worker) => worker.lines)
  while ((await queue.backlog()) > 0 && workers.length < 12) {
    const worker = startProcess('fragile-worker.ts', [redis.url, pipeline, deadly])
    workers.push(worker)
    const exited = once(worker.child, 'exit').then(() => true)
    for (let ended = false; !ended && (await queue.backlog()) > 0;) {
      ended = await Promise.race([exited, elapse(100, 'between two readings of the backlog').then(() => false)])
    }
  }
  await workers.at(-1)?.kill('SIGKILL')
  expect(lines().filter((line) => line.startsWith('given up'))).toEqual([`given up 4 ${deadly}`])
  const finished = lines().filter((line) => line.startsWith('end '))
  expect(finished.toSorted()).toEqual(
    jobs
      .map(({ key }) => `end ${key}`)
      .filter((line) => !line.endsWith(deadly))
      .toSorted(),
  )
  expect(workers.length).toBe(5)
  await queue[Symbol.asyncDispose]()
}, 240_000)
