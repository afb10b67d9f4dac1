import type { RedisConnection } from '#src/redis/connection.ts'
import { openStoreFiles, type StoreAddress } from '../checker/store-files.ts'
import { readStoreOutside } from '../checker/store-outside.ts'
import type { DrawnKind, DrawnPipeline } from './draw-run.ts'

/** What is true of a pipeline: by its store and by what was written into its source. */
export interface PipelineTruth {
  /** As in the label `pipeline`; empty where there is none. */
  readonly label: string
  readonly documents: Readonly<Record<'done' | 'partial' | 'failed' | 'skipped' | 'pending', number>>
  readonly failures: Readonly<Record<string, number>>
  readonly isHeld: boolean
  /** Copies whose receipt was there; known where no cap keeps documents waiting. */
  readonly copies: number
}

export interface QueueTruth {
  readonly backlog: number
  /** Seconds. */
  readonly oldest: number
}

export async function pipelineTruth({ name, waves }: DrawnPipeline, out: StoreAddress): Promise<PipelineTruth> {
  const store = await readStoreOutside(openStoreFiles(out))
  const listed = waves.flat()
  const of = (wanted: DrawnKind): number => listed.filter(({ kind }) => kind === wanted).length
  const records = [...store.records.values()].filter(({ key }) => !store.letters.has(key))
  const failures: Record<string, number> = {}
  for (const { failure } of store.letters.values()) failures[failure.code] = (failures[failure.code] ?? 0) + 1
  const ended = records.length + store.letters.size
  const done = records.filter(({ outcome }) => outcome === 'done').length
  return {
    label: name ?? '',
    documents: {
      done,
      partial: records.length - done,
      failed: store.letters.size,
      skipped: of('other'),
      pending: listed.length - of('other') - ended,
    },
    failures,
    isHeld: of('held') > 0,
    copies: of('copy'),
  }
}

/** All queues together, as they lie in Redis. */
export async function queueTruth(redis: RedisConnection): Promise<QueueTruth> {
  const ids: string[] = []
  for (const key of await redis.keys('*:documents:*')) {
    const prefix = key.slice(0, key.lastIndexOf(':') + 1)
    if (/:(wait|active)$/.test(key)) ids.push(...(await redis.lrange(key, 0, -1)).map((id) => prefix + id))
    if (/:(delayed|prioritized)$/.test(key)) ids.push(...(await redis.zrange(key, 0, '-1')).map((id) => prefix + id))
  }
  const times = await Promise.all(ids.map(async (id) => Number(await redis.hget(id, 'timestamp'))))
  return { backlog: ids.length, oldest: times.length === 0 ? 0 : (Date.now() - Math.min(...times)) / 1000 }
}
