import { createHash, hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Cluster, type Redis } from 'ioredis'
import { z } from 'zod'
import { type ScriptArguments, REPLY_SCHEMAS, type ScriptReplies } from './script-schemas.ts'

export type RedisClient = Redis | Cluster

/** Names of all Redis keys of one gate. They share a hash tag, so they are in one slot of a cluster. */
export interface GateKeys {
  readonly tag: string
  readonly state: string
  /** Leases of requests in flight, by start time. */
  readonly open: string
  /** Waiting processes, by time of arrival. */
  readonly line: string
  /** Documents that failed as probes since the gate closed. */
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

/** Key of the state of a document that failed while others passed. It is a digest, because source keys may be long. */
export function documentKey(keys: GateKeys, sourceKey: string): string {
  return `${keys.tag}:document:${hash('sha256', sourceKey).slice(0, 32)}`
}

/** Channel on which `release` calls a waiting process when a place is free. */
export function wakePrefix(keys: GateKeys): string {
  return `${keys.tag}:wake:`
}

/** Prefix of heartbeat keys, which expire when their process dies. */
export function alivePrefix(keys: GateKeys): string {
  return `${keys.tag}:alive:`
}

/**
 * Opens one more connection to the same Redis. The caller subscribes again at each `ready`: with the automatic
 * resubscription of ioredis, a connection that ends during it causes an unhandled rejection.
 */
export function duplicate(redis: RedisClient): RedisClient {
  return redis instanceof Cluster ? redis.duplicate() : redis.duplicate({ autoResubscribe: false })
}

const lua = (name: string): string => readFileSync(new URL(`lua/${name}.lua`, import.meta.url), 'utf8')

export type GateScriptName = keyof ScriptArguments

/** Source files of each script, in their order. */
const PARTS: Readonly<Record<GateScriptName, readonly string[]>> = {
  acquire: ['law', 'common', 'line', 'permit', 'acquire'],
  release: ['law', 'common', 'line', 'permit', 'health', 'release'],
  snapshot: ['law', 'common', 'snapshot'],
  declare: ['law', 'common', 'declare'],
}

/** A script as Redis runs it. */
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
   * Runs atomically. A client whose connection lost the reply sends the script again, so every script is idempotent for
   * the same argument.
   */
  async run(
    redis: RedisClient,
    keys: GateKeys,
    document: string,
    ask: ScriptArguments[Name],
  ): Promise<ScriptReplies[Name]> {
    const { state, open, line, probed } = keys
    const args = [5, state, open, line, probed, document, JSON.stringify(ask)] as const
    let answer: unknown
    try {
      answer = await redis.evalsha(this.#sha, ...args)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      answer = await redis.eval(this.source, ...args)
    }
    const reply = REPLY_SCHEMAS[this.#name].safeParse(JSON.parse(String(answer)))
    if (reply.success) return reply.data as ScriptReplies[Name]
    throw new Error(`the limiter's script ${this.#name} gave an unexpected reply: ${z.prettifyError(reply.error)}`)
  }
}
