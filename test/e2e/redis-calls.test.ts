import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { startTestRedis } from '../support/redis.ts'
import { parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { elapse, takes } from '../support/wait.ts'

const DOCUMENTS = 120
/** Reads of a key that is read for each of many documents. */
const OFTEN = DOCUMENTS / 10

/** Commands that read all of a key, by name; null where they read a part. */
const WHOLE_READS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  hgetall: () => true,
  hkeys: () => true,
  hvals: () => true,
  smembers: () => true,
  lrange: ([, from, to]) => from === '0' && to === '-1',
  zrange: ([, from, to]) => from === '0' && to === '-1',
}

const sizeOf = async (redis: Redis, key: string): Promise<number> => {
  const type = await redis.type(key)
  if (type === 'hash') return redis.hlen(key)
  if (type === 'set') return redis.scard(key)
  if (type === 'zset') return redis.zcard(key)
  return type === 'list' ? redis.llen(key) : 0
}

/** Keys without the hash of the pipeline or of the service, which differ between runs. */
const byName = (counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...counts].map(([key, count]) => [key.replace(/^.*}/, ''), count]))

/** A run with up to so many documents in flight: commands a document, and reads and largest size of each key that was read whole. */
async function commandsWith(inFlight: number, serviceMs: number) {
  await using folder = await tempFolder()
  await using redis = await startTestRedis()
  let together = 0
  let most = 0
  const answers = async () => {
    together += 1
    most = Math.max(most, together)
    await takes(serviceMs)
    together -= 1
    return parsedReply('# Parsed')
  }
  await using service = await new ScriptedService({ answers, readParts: false }).listen()
  const source = join(folder.path, 'in')
  await mkdir(source)
  for (let number = 0; number < DOCUMENTS; number++) await writeFile(join(source, `${number}.csv`), `a\n${number}\n`)

  const client = new Redis(redis.url)
  const monitor = await client.monitor()
  const reads = new Map<string, number>()
  const sizes = new Map<string, number>()
  let commands = 0
  monitor.on('monitor', (_time: string, [name = '', ...args]: string[]) => {
    commands += 1
    const [key = ''] = args
    if (WHOLE_READS[name.toLowerCase()]?.(args) === true) reads.set(key, (reads.get(key) ?? 0) + 1)
  })
  const end = new AbortController()
  const sample = async (): Promise<void> => {
    for (; !end.signal.aborted; await elapse(50, 'between two samples')) {
      for (const key of [...reads.keys()].filter((one) => (reads.get(one) ?? 0) > OFTEN)) {
        sizes.set(key, Math.max(await sizeOf(client, key), sizes.get(key) ?? 0))
      }
    }
  }
  const sampled = sample()
  const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'key' }
  const ran = await sluice(['run', source, '--out', join(folder.path, 'out'), '--concurrency', String(inFlight)], {
    env,
  })
  end.abort()
  await sampled
  monitor.disconnect()
  client.disconnect()
  expect(ran.code).toBe(0)
  return { commands: commands / DOCUMENTS, most, reads: byName(reads), sizes: byName(sizes) }
}

test('Redis commands and keys read per document do not grow with the documents in flight', async () => {
  const few = await commandsWith(1, 0)
  const many = await commandsWith(100, 300)
  expect([few.most, many.most > 9]).toEqual([1, true])
  expect(many.commands / few.commands).toBeLessThan(1.5)
  const often = [...many.reads].filter(([, times]) => times > OFTEN).map(([name]) => name)
  expect(often).not.toEqual([])
  const grown = (key: string): number => (many.sizes.get(key) ?? 0) - (few.sizes.get(key) ?? 0)
  expect(often.filter((key) => grown(key) > many.most / 2)).toEqual([])
}, 240_000)
