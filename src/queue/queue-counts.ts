import { Cluster } from 'ioredis'
import type { RedisConnection } from '#src/redis/connection.ts'

/** The BullMQ queue of a pipeline is `<redisPrefix(pipeline)>:documents`. */
export const QUEUE_NAME = 'documents'

/** Keys of BullMQ: lists, and sorted sets. */
const LISTS = ['wait', 'active'] as const
const SORTED = ['prioritized', 'delayed'] as const

type Kind = (typeof LISTS)[number] | (typeof SORTED)[number]

const isList = (kind: Kind): kind is (typeof LISTS)[number] => (LISTS as readonly Kind[]).includes(kind)

/**
 * What the queue of a pipeline holds, read from BullMQ's keys without BullMQ. A test compares each number with what BullMQ
 * says itself.
 */
export class QueueCounts {
  readonly #connection: RedisConnection
  readonly #key: (name: string) => string
  readonly #workerName: string

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#key = (name) => `${prefix}:${QUEUE_NAME}:${name}`
    this.#workerName = `${prefix}:${Buffer.from(QUEUE_NAME).toString('base64')}`
  }

  /** In one transaction: a job that moves meanwhile is counted once. */
  async jobs(kinds: readonly Kind[]): Promise<number> {
    const transaction = this.#connection.multi()
    for (const kind of kinds) {
      if (isList(kind)) transaction.llen(this.#key(kind))
      else transaction.zcard(this.#key(kind))
    }
    const answers = (await transaction.exec()) ?? []
    const failed = answers.find(([error]) => error !== null)
    if (failed !== undefined) throw failed[0]
    return answers.reduce((sum, [, count]) => sum + Number(count), 0)
  }

  async paused(): Promise<boolean> {
    return (await this.#connection.hexists(this.#key('meta'), 'paused')) === 1
  }

  /** Connections of workers, which have the name of the queue; in a cluster those to the node that most of them have. */
  async workers(): Promise<number> {
    const connection = this.#connection
    const nodes = connection instanceof Cluster ? connection.nodes() : [connection]
    // Where the server lists no clients (Memorystore), one worker is taken to be there.
    const unlisted = (error: Error): string => {
      if (/unknown command/i.test(error.message)) return ` name=${this.#workerName}`
      throw error
    }
    const lists = await Promise.all(nodes.map(async (node) => String(await node.client('LIST').catch(unlisted))))
    return Math.max(...lists.map((list) => list.split('\n').filter((line) => this.#isWorker(line)).length))
  }

  #isWorker(line: string): boolean {
    const name = / name=(\S*)/.exec(line)?.[1] ?? ''
    return name === this.#workerName || name.startsWith(`${this.#workerName}:w:`)
  }
}
