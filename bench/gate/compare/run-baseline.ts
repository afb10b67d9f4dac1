import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { connectRedis } from '#src/redis/connection.ts'
import { BenchProcess } from '../child-process.ts'
import { documentNames, writeDocuments } from '../documents-folder.ts'
import type { LimitedReport } from '../limited/service-plan.ts'
import { measure, type Measured } from '../measure.ts'
import { documentsFor, type Regime } from '../regimes.ts'
import type { BenchEnvironment } from '../run-regime.ts'

/** The contract's reference pattern with ten requests at once a process; BullMQ's limiter, told the right limits. */
export const BASELINES = ['reference', 'bullmq'] as const
export type Baseline = (typeof BASELINES)[number]

export interface BaselineResult extends Measured {
  readonly name: string
  readonly client: Baseline
  /** Documents that ended failed though nothing is wrong with them. */
  readonly lost: number
}

export async function runBaseline(
  client: Baseline,
  regime: Regime,
  environment: BenchEnvironment,
): Promise<BaselineResult> {
  const { plan, windows, name, poisonPercent = 0 } = regime
  const source = join(environment.folder, 'in')
  const out = join(environment.folder, 'out')
  const count = documentsFor(regime)
  await writeDocuments(source, { count, bytes: 300, poisonPercent })
  await mkdir(out)
  await using service = new BenchProcess('limited/serve-limits.ts', [JSON.stringify(plan)])
  const url = `http://127.0.0.1:${await service.line('listening')}`
  const queueName = `baseline-${Date.now()}`
  await using queue =
    client === 'bullmq' ? await filledQueue(queueName, count, poisonPercent, plan.windowMs, environment) : null
  await using clients = new AsyncDisposableStack()
  const processes = Array.from({ length: environment.workers }, (_, index) => {
    const told = {
      client,
      index,
      of: environment.workers,
      url,
      source,
      out,
      redisUrl: environment.redisUrl,
      queueName,
      plan,
    }
    return clients.use(new BenchProcess('compare/baseline-process.ts', [JSON.stringify(told)]))
  })
  await Promise.all(processes.map((one) => one.line('ready')))
  await fetch(`${url}/begin`, { method: 'POST' })
  for (const one of processes) one.say('begin')
  await sleep(windows * plan.windowMs)
  const report = (await (await fetch(`${url}/report`)).json()) as LimitedReport
  for (const one of processes) one.kill('SIGTERM')
  const lost = await Promise.all(processes.map(async (one) => Number(await one.line('lost'))))
  await queue?.[Symbol.asyncDispose]()
  await rm(environment.folder, { recursive: true, force: true })
  return { ...measure(report, plan, regime.measure), name, client, lost: lost.reduce((sum, one) => sum + one, 0) }
}

async function filledQueue(
  name: string,
  count: number,
  poisonPercent: number,
  windowMs: number,
  environment: BenchEnvironment,
): Promise<AsyncDisposable> {
  const connection = await connectRedis({ url: environment.redisUrl })
  const queue = new Queue<{ file: string }>(name, { connection })
  const backoff = { type: 'exponential', delay: windowMs / 60 }
  const opts = { attempts: 5, backoff, removeOnComplete: true, removeOnFail: true }
  await queue.addBulk(
    documentNames(count, poisonPercent).map((document) => ({
      name: 'parse',
      data: { file: `${document}.html` },
      opts,
    })),
  )
  let open = true
  return {
    [Symbol.asyncDispose]: async () => {
      if (!open) return
      open = false
      await queue.obliterate({ force: true })
      await queue.close()
      connection.disconnect()
    },
  }
}
