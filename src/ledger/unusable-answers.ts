import { redisPrefix } from '#src/document/pipeline.ts'
import type { RedisConnection } from '#src/redis/connection.ts'

/** Requests of all processes whose answer was unusable or lost; lost with Redis. */
export interface UnusableAnswers {
  readonly answers: number
  /** By the price model: the service may have charged them. */
  readonly credits: number
}

const keyOf = (pipeline: string): string => `${redisPrefix(pipeline)}:unusable`

export async function countUnusable(connection: RedisConnection, pipeline: string, credits: number): Promise<void> {
  await Promise.all([
    connection.hincrby(keyOf(pipeline), 'answers', 1),
    connection.hincrbyfloat(keyOf(pipeline), 'credits', credits),
  ])
}

export async function unusableAnswers(connection: RedisConnection, pipeline: string): Promise<UnusableAnswers> {
  const { answers = '0', credits = '0' } = await connection.hgetall(keyOf(pipeline))
  return { answers: Number(answers), credits: Number(credits) }
}
