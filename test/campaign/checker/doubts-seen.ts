import type { RedisConnection } from '#src/redis/connection.ts'
import { poll } from './poll.ts'
import { openIntents, resentContents } from './redis-outside.ts'

const CHECK_MS = 40

/** What Redis ever counted as in doubt and sent again: it may lose data and forget it. */
export class DoubtsSeen implements AsyncDisposable {
  readonly #redis: RedisConnection
  readonly #most = new Map<string, number>()
  readonly #polling: AsyncDisposable

  constructor(redis: RedisConnection) {
    this.#redis = redis
    this.#polling = poll(CHECK_MS, () => this.check())
  }

  async check(): Promise<void> {
    const counts = new Map<string, number>()
    for (const content of await resentContents(this.#redis)) counts.set(content, (counts.get(content) ?? 0) + 1)
    for (const [content, times] of counts) this.#most.set(content, Math.max(times, this.#most.get(content) ?? 0))
  }

  /** Contents, each as often as it was sent again in doubt. */
  async end(): Promise<{ readonly resent: readonly string[]; readonly left: readonly string[] }> {
    await this.check()
    const resent = [...this.#most].flatMap(([content, times]) => Array<string>(times).fill(content))
    return { resent, left: await openIntents(this.#redis) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#polling[Symbol.asyncDispose]()
  }
}
