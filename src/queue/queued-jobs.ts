import { redisPrefix } from '#src/document/pipeline.ts'
import type { DocumentJob } from '#src/ports/queue.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import { QUEUE_NAME } from './queue-layout.ts'

/** Every job that a queue holds, whatever it waits for; for a pipeline that no worker takes jobs of. */
export async function queuedJobs(connection: RedisConnection, pipeline: string): Promise<readonly DocumentJob[]> {
  const queue = `${redisPrefix(pipeline)}:${QUEUE_NAME}`
  const ids: string[] = []
  for (const list of ['active', 'wait', 'paused']) ids.push(...(await connection.lrange(`${queue}:${list}`, 0, -1)))
  for (const set of ['prioritized', 'delayed']) ids.push(...(await connection.zrange(`${queue}:${set}`, '0', '-1')))
  const jobs: DocumentJob[] = []
  for (const id of ids) {
    const data = await connection.hget(`${queue}:${id}`, 'data')
    if (data !== null) jobs.push(JSON.parse(data) as DocumentJob)
  }
  return jobs
}
