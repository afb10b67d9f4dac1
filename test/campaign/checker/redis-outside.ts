import type { RedisConnection } from '#src/redis/connection.ts'

/** Reads Redis with plain commands, without code of Sluice. One pipeline has the server to itself. */

/** Contents (SHA-256) of what was about to be bought and is not settled. */
export async function openIntents(redis: RedisConnection): Promise<readonly string[]> {
  const key = await onlyKey(redis, '*:intents')
  return key === null ? [] : (await redis.hkeys(key)).filter(isPaid).map((receipt) => receipt.slice(0, 64))
}

/** Contents that were sent again while an earlier request for them was in doubt, each as often as that happened. */
export async function resentContents(redis: RedisConnection): Promise<readonly string[]> {
  const key = await onlyKey(redis, '*:resent')
  const resent = key === null ? [] : Object.entries(await redis.hgetall(key)).filter(([receipt]) => isPaid(receipt))
  return resent.flatMap(([receipt, times]) => Array<string>(Number(times)).fill(receipt.slice(0, 64)))
}

/** The embedded engine charges nothing: its requests are in doubt for nothing. */
const isPaid = (receipt: string): boolean => !receipt.endsWith('-embedded')

const LETTERS = ['p', 'd', 'r', 'f', 's', 'D', 'R'] as const

export interface LedgerView {
  /** Letter of the outcome by source key. */
  readonly entries: ReadonlyMap<string, string>
  /** Whole entries of what is done, by source key. */
  readonly done: ReadonlyMap<string, string>
  /** Outcomes for which the counts and the entries do not agree. */
  readonly disagreements: number
}

export async function readLedger(redis: RedisConnection): Promise<LedgerView> {
  const keys = await redis.keys('*:ledger:*')
  const entries = new Map<string, string>()
  const done = new Map<string, string>()
  const hashes = await Promise.all(keys.map((key) => redis.hgetall(key)))
  const shards = hashes.filter((_, at) => keys[at]?.endsWith(':counts') === false)
  for (const [name, entry] of shards.flatMap((shard) => Object.entries(shard))) {
    entries.set(name, entry.slice(0, 1))
    if (/^[dD]/.test(entry)) done.set(name, entry)
  }
  const reported = hashes[keys.findIndex((key) => key.endsWith(':counts'))] ?? {}
  const letters = [...entries.values()]
  const disagreements = LETTERS.filter(
    (letter) => Number(reported[letter] ?? 0) !== letters.filter((one) => one === letter).length,
  )
  return { entries, done, disagreements: disagreements.length }
}

/** Each key in Redis, except those of the ledger, with its size or value: diagnoses a run that does not end. */
export async function describeRedis(redis: RedisConnection): Promise<string> {
  const keys = (await redis.keys('*')).filter((key) => !key.includes(':ledger:'))
  const sizes = await Promise.all(
    keys.map(async (key) => {
      const type = await redis.type(key)
      if (type === 'list') return `${key} ${(await redis.lrange(key, 0, 3)).join(' ')}`
      if (type === 'zset') return `${key} ${(await redis.zrange(key, '0', '3', 'WITHSCORES')).join(' ')}`
      if (type === 'hash') return `${key} ${JSON.stringify(await redis.hgetall(key)).slice(0, 600)}`
      return `${key} ${type} ${await redis.pttl(key)} ms`
    }),
  )
  return sizes.join('\n    ')
}

async function onlyKey(redis: RedisConnection, pattern: string): Promise<string | null> {
  const keys = await redis.keys(pattern)
  return keys[0] ?? null
}
