import { createHash, hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Cluster, type Redis } from 'ioredis'
import { z } from 'zod'
import { type Asks, REPLIES, type Replies } from './border.ts'

export type RedisClient = Redis | Cluster

/** Names of everything that one gate keeps in Redis. One hash tag: all of it is in one slot of a cluster. */
export interface GateKeys {
  readonly tag: string
  readonly state: string
  /** Leases in flight, by time of entry. */
  readonly open: string
  /** Processes that wait, by time of arrival. */
  readonly line: string
  /** Documents that failed as probes since the gate was shut. */
  readonly probed: string
}

export function gateKeys(prefix: string, keyDigest: string): GateKeys {
  const tag = `{${prefix}:gate:${keyDigest}}`
  return {
    tag,
    state: `${tag}:state`,
    open: `${tag}:open`,
    line: `${tag}:line`,
    probed: `${tag}:probed`,
  }
}

/** What is known of a document that failed while others came through. Named by a digest: keys may be long. */
export function documentKey(keys: GateKeys, sourceKey: string): string {
  return `${keys.tag}:document:${hash('sha256', sourceKey).slice(0, 32)}`
}

/** Channel on which `release` calls a waiting process when a place came free. */
export function wakePrefix(keys: GateKeys): string {
  return `${keys.tag}:wake:`
}

/** Keys that stand as long as their process lives. */
export function alivePrefix(keys: GateKeys): string {
  return `${keys.tag}:alive:`
}

/**
 * One connection more, to the same Redis. The caller subscribes again at each `ready`: where ioredis does it by itself,
 * a connection that ends meanwhile is an unhandled rejection.
 */
export function duplicate(redis: RedisClient): RedisClient {
  return redis instanceof Cluster ? redis.duplicate() : redis.duplicate({ autoResubscribe: false })
}

const lua = (name: string): string => readFileSync(new URL(`lua/${name}.lua`, import.meta.url), 'utf8')

export type GateScriptName = keyof Asks

/** Files of which each script is made, in their order. */
const PARTS: Readonly<Record<GateScriptName, readonly string[]>> = {
  acquire: ['law', 'common', 'line', 'permit', 'acquire'],
  release: ['law', 'common', 'line', 'permit', 'health', 'release'],
  snapshot: ['law', 'common', 'snapshot'],
  declare: ['law', 'common', 'declare'],
}

/** One of the scripts, as Redis runs it. */
export class GateScript<Name extends GateScriptName> {
  readonly source: string
  readonly #name: Name
  readonly #sha: string

  constructor(name: Name) {
    this.#name = name
    this.source = PARTS[name].map(lua).join('\n')
    this.#sha = createHash('sha1').update(this.source).digest('hex')
  }

  /**
   * Runs as one step. A client that lost the answer with its connection sends the script again, so every script can be run
   * twice with the same argument.
   */
  async run(redis: RedisClient, keys: GateKeys, document: string, ask: Asks[Name]): Promise<Replies[Name]> {
    const { state, open, line, probed } = keys
    const args = [5, state, open, line, probed, document, JSON.stringify(ask)] as const
    let answer: unknown
    try {
      answer = await redis.evalsha(this.#sha, ...args)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      answer = await redis.eval(this.source, ...args)
    }
    const reply = REPLIES[this.#name].safeParse(JSON.parse(String(answer)))
    if (reply.success) return reply.data as Replies[Name]
    throw new Error(`the limiter's script ${this.#name} answered what it should not: ${z.prettifyError(reply.error)}`)
  }
}
