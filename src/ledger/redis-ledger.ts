import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'
import { type Counts, NO_COUNTS, OUTCOMES } from '#src/document/outcome.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { LedgerChange, LedgerEntry, Settled } from '#src/document/ledger-entry.ts'
import { documentScripts } from './document-scripts.ts'
import { decodeEntry, encodeEntry, GONE_LETTERS, LOCAL_LETTERS, OUTCOME_LETTERS } from './entry-codec.ts'
import { ADOPT, ADVANCE, FORGET, READ, SETTLE, STREAM, WRITE } from './ledger-scripts.ts'
import type { RedisClient } from '#src/redis/lua-script.ts'
import type { ScriptBatch } from '#src/redis/script-batch.ts'

/**
 * Number of hashes with the entries. Redis keeps a small hash as a compact list, without a pointer or an object per
 * field. A small hash has up to 128 fields by default, 512 in our own server. A document therefore costs little more
 * than its key and its entry up to about 3 million documents, 14 million in our own server. Beyond that it costs about
 * 100 bytes more.
 */
const BUCKETS = 32_768

/** Maximum number of entries per script call; Redis serves no other client during it. */
const BATCH = 1_000

/** Number of buckets per read in a stream of all entries. */
const STREAM_BUCKETS = 512

/** Threshold of keys in Redis, below which the ledger finds its buckets by listing the keys. */
const MAX_KEYS = 4_000

/** The ledger in Redis, on a single server or a Cluster. */
export class RedisLedger implements Ledger {
  readonly #client: RedisClient
  readonly #ofDocuments: ScriptBatch
  readonly #prefix: string
  readonly #countsKey: string
  /** Key of this process; by it `SETTLE` distinguishes a retry from an end that another process wrote. */
  readonly #settlerKey: string
  #ends = 0

  constructor(options: { readonly connection: RedisClient; readonly pipeline: string }) {
    this.#client = options.connection
    this.#ofDocuments = documentScripts(options.connection, options.pipeline)
    this.#prefix = `${redisPrefix(options.pipeline)}:ledger:`
    this.#countsKey = `${this.#prefix}counts`
    this.#settlerKey = `${this.#prefix}settler:${randomUUID()}`
  }

  async read(keys: readonly SourceKey[]): Promise<readonly (LedgerEntry | null)[]> {
    const batches = await Promise.all(
      inBatches(keys).map((batch) => READ.run(this.#client, this.#buckets(batch), batch)),
    )
    return batches.flat().map((entry) => (entry === null ? null : decodeEntry(entry)))
  }

  async write(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<void> {
    for (const batch of inBatches(entries)) {
      const buckets = this.#buckets(batch.map(([key]) => key))
      const values = batch.flatMap(([key, entry]) => [key, encodeEntry(entry)])
      await WRITE.run(this.#client, [this.#countsKey, ...buckets], values)
    }
  }

  async advance(changes: readonly LedgerChange[]): Promise<readonly boolean[]> {
    const written: boolean[] = []
    for (const batch of inBatches(changes)) {
      const buckets = this.#buckets(batch.map(({ key }) => key))
      const values = batch.flatMap(({ key, known, entry }) => [
        key,
        known === null ? '' : encodeEntry(known),
        encodeEntry(entry),
      ])
      const answers = await ADVANCE.run(this.#client, [this.#countsKey, ...buckets], values)
      written.push(...answers.map((answer) => answer === 1))
    }
    return written
  }

  async adopt(entries: readonly (readonly [SourceKey, LedgerEntry])[]): Promise<number> {
    let adopted = 0
    for (const batch of inBatches(entries)) {
      const buckets = this.#buckets(batch.map(([key]) => key))
      const values = batch.flatMap(([key, entry]) => [key, encodeEntry(entry)])
      adopted += await ADOPT.run(this.#client, [this.#countsKey, ...buckets], values)
    }
    return adopted
  }

  async settle(key: SourceKey, entry: LedgerEntry): Promise<Settled> {
    const keys = [this.#countsKey, ...this.#buckets([key]), this.#settlerKey]
    const answer = await this.#ofDocuments.run(SETTLE, keys, [key, encodeEntry(entry), entry.version, ++this.#ends])
    if (answer === 0) return 'other-version'
    return answer === 1 ? 'ended' : 'again'
  }

  async endedTotal(): Promise<number> {
    return Number((await this.#client.hget(this.#countsKey, 'ended')) ?? 0)
  }

  async forget(keys: readonly SourceKey[]): Promise<void> {
    for (const batch of inBatches(keys)) {
      await FORGET.run(this.#client, [this.#countsKey, ...this.#buckets(batch)], batch)
    }
  }

  async counts(): Promise<Counts> {
    const byLetter = await this.#client.hgetall(this.#countsKey)
    const of = (letter: string): number => Number(byLetter[letter] ?? 0)
    const counted = OUTCOMES.map((outcome) => [outcome, of(OUTCOME_LETTERS[outcome])])
    const counts: Counts = { ...NO_COUNTS, ...Object.fromEntries(counted) }
    const { done, partial } = LOCAL_LETTERS
    const gone = of(GONE_LETTERS.done) + of(GONE_LETTERS.partial)
    return { ...counts, done: counts.done + of(done), partial: counts.partial + of(partial), gone }
  }

  async localCount(): Promise<number> {
    const counts = await this.#client.hmget(this.#countsKey, ...Object.values(LOCAL_LETTERS))
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
  }

  async *entries(signal: AbortSignal): AsyncIterable<readonly [SourceKey, LedgerEntry]> {
    const all = (await this.#knownBuckets()) ?? Array.from({ length: BUCKETS }, (_, number) => this.#bucket(number))
    for (let from = 0; from < all.length;) {
      signal.throwIfAborted()
      const buckets = all.slice(from, from + STREAM_BUCKETS)
      const [read, fields] = await STREAM.run(this.#client, buckets, [BATCH])
      yield* pairs(fields)
      const [first] = buckets
      if (read === 0 && first !== undefined) yield* this.#largeBucket(first, signal)
      from += Math.max(read, 1)
    }
  }

  /**
   * Existing buckets, if listing the keys of Redis is cheaper than naming all buckets: for a small archive on its own
   * Redis. Null otherwise.
   */
  async #knownBuckets(): Promise<readonly string[] | null> {
    const client = this.#client
    if (client.isCluster || (await client.dbsize()) > MAX_KEYS) return null
    const found = new Set<string>()
    let cursor = '0'
    do {
      const [next, keys] = await client.scan(cursor, 'COUNT', BATCH)
      for (const key of keys) if (this.#isBucket(key)) found.add(key)
      cursor = next
    } while (cursor !== '0')
    return [...found]
  }

  #isBucket(key: string): boolean {
    return key.startsWith(this.#prefix) && /^[\da-z]{1,3}$/.test(key.slice(this.#prefix.length))
  }

  async *#largeBucket(bucket: string, signal: AbortSignal): AsyncIterable<readonly [SourceKey, LedgerEntry]> {
    let cursor = '0'
    do {
      signal.throwIfAborted()
      const [next, fields] = await this.#client.hscan(bucket, cursor, 'COUNT', BATCH)
      yield* pairs(fields)
      cursor = next
    } while (cursor !== '0')
  }

  #buckets(keys: readonly SourceKey[]): string[] {
    return keys.map((key) => this.#bucket(crc32(key) % BUCKETS))
  }

  #bucket(number: number): string {
    return `${this.#prefix}${number.toString(36)}`
  }
}

function inBatches<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= BATCH) return items.length === 0 ? [] : [items]
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) =>
    items.slice(index * BATCH, (index + 1) * BATCH),
  )
}

function* pairs(fields: readonly string[]): Iterable<readonly [SourceKey, LedgerEntry]> {
  for (let index = 0; index < fields.length; index += 2) {
    yield [sourceKey(fields[index] ?? ''), decodeEntry(fields[index + 1] ?? '')]
  }
}
