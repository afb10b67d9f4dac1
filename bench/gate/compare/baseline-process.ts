import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { backoffMs, MAX_ATTEMPTS } from '#src/document/backoff.ts'
import { connectRedis } from '#src/redis/connection.ts'
import { postDocument } from '../../support/post-document.ts'
import type { LimitedPlan } from '../limited/service-plan.ts'
import type { Baseline } from './run-baseline.ts'

/*
 * One process of a client that others write, for comparison. As the worker of the bench, it says `ready`, begins at a
 * line on its standard input, and at SIGTERM says how many documents it lost.
 */

interface Told {
  readonly client: Baseline
  readonly index: number
  readonly of: number
  readonly url: string
  readonly source: string
  readonly out: string
  readonly redisUrl: string
  readonly queueName: string
  readonly plan: LimitedPlan
}

const REQUESTS_AT_ONCE = 10
const told = JSON.parse(process.argv[2] ?? '{}') as Told
const { plan } = told
/** Pauses are shortened as the windows are. */
const scale = plan.windowMs / 60_000
let lost = 0

process.on('SIGTERM', () => {
  process.stdout.write(`lost ${lost}\n`, () => process.exit(0))
})
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
await (told.client === 'reference' ? reference() : limiter())

/** Retry rules 2 to 5 of the contract: every request for itself, at most five attempts. */
async function reference(): Promise<void> {
  const files = (await readdir(told.source)).filter((_, index) => index % told.of === told.index)
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => {
      for (let file = files.pop(); file !== undefined; file = files.pop()) await withRetries(file)
    }),
  )
}

async function withRetries(file: string): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { status, retryAfterMs } = await postDocument(told.url, told.source, file, told.out)
    if (status === 200) return
    if (status === 402) break
    await sleep(retryAfterMs ?? backoffMs(attempt, null, Math.random) * scale)
  }
  if (!file.startsWith('poison')) lost += 1
}

/** BullMQ's limiter with the plan's true rate, and its concurrency divided among the processes. */
async function limiter(): Promise<void> {
  const connection = await connectRedis({ url: told.redisUrl })
  const work = async (file: string): Promise<void> => {
    const { status } = await postDocument(told.url, told.source, file, told.out)
    if (status !== 200) throw new Error(`the service answered ${status}`)
  }
  const worker = new Worker<{ file: string }>(told.queueName, (job) => work(job.data.file), {
    connection,
    concurrency: Math.max(1, Math.floor(plan.places / told.of)),
    limiter: { max: plan.rate, duration: plan.windowMs },
  })
  worker.on('error', () => undefined)
  worker.on('failed', (job) => {
    if (job === undefined || job.attemptsMade < MAX_ATTEMPTS || job.data.file.startsWith('poison')) return
    lost += 1
  })
}
