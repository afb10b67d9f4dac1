import { describe, expect, test } from 'vitest'
import { DocumentQueue } from '#src/queue/document-queue.ts'
import { startProcess, type TestProcess } from '../support/child.ts'
import { documentJobs } from '../support/queue-jobs.ts'
import { startTestRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'
import { shared } from '../support/shared.ts'

const redis = await shared(startTestRedis())

const startWorker = (pipeline: string, concurrency: number, workMs: number): TestProcess =>
  startProcess('worker.ts', [redis.url, pipeline, String(concurrency), String(workMs)])

const ended = (worker: TestProcess): string[] =>
  worker.lines.filter((line) => line.startsWith('end ')).map((line) => line.slice('end '.length))
const begun = (worker: TestProcess): string[] => worker.lines.filter((line) => line.startsWith('begin '))

describe('a worker killed with SIGKILL', () => {
  test('has its documents taken over by another within 20 s, without using an attempt', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'killed-worker' })
    const jobs = documentJobs(8)
    const victim = startWorker('killed-worker', 8, 600_000)
    await queue.add(jobs)
    await until('all are begun', 10_000, () => begun(victim).length === 8)
    const survivor = startWorker('killed-worker', 8, 10)
    await survivor.line('ready')
    await victim.kill('SIGKILL')
    const killedAt = Date.now()
    await until('all are done by the other', 20_000, () => ended(survivor).length === 8)
    console.log(`back ${Date.now() - killedAt} ms after SIGKILL`)
    expect(ended(survivor).toSorted()).toEqual(jobs.map(({ key }) => key).toSorted())
    expect(begun(survivor).every((line) => line.startsWith('begin 1 '))).toBe(true)
    await survivor.kill('SIGTERM')
    expect(await queue.backlog()).toBe(0)
    await queue[Symbol.asyncDispose]()
  })
})

describe('two workers of one queue', () => {
  test('share the documents, and never process the same one', async () => {
    const queue = new DocumentQueue({ connection: redis.connection, pipeline: 'two' })
    const workers = [startWorker('two', 10, 5), startWorker('two', 10, 5)]
    await Promise.all(workers.map((worker) => worker.line('ready')))
    const jobs = documentJobs(1000)
    await queue.add(jobs)
    const all = (): string[] => workers.flatMap(ended)
    await until('all are done', 20_000, () => all().length >= 1000)
    expect(all().toSorted()).toEqual(jobs.map(({ key }) => key).toSorted())
    expect(Math.min(...workers.map((worker) => ended(worker).length))).toBeGreaterThan(100)
    await Promise.all(workers.map((worker) => worker.kill('SIGTERM')))
    await queue[Symbol.asyncDispose]()
  })
})
