import { afterAll, beforeAll } from 'vitest'
import { startTestRedis, type TestRedis } from './redis.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface RedisAndFolder {
  readonly redis: TestRedis
  readonly folder: TempFolder
}

/** A Redis and a folder that all tests of a file share; there from the first test on. */
export function redisAndFolder(): RedisAndFolder {
  const shared: { redis?: TestRedis; folder?: TempFolder } = {}
  beforeAll(async () => {
    shared.redis = await startTestRedis()
    shared.folder = await tempFolder()
  })
  afterAll(async () => {
    await shared.redis?.[Symbol.asyncDispose]()
    await shared.folder?.[Symbol.asyncDispose]()
  })
  return shared as RedisAndFolder
}
