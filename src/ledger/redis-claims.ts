import type { ClaimNumber } from '#src/document/claim-lost.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { redisPrefix } from '#src/document/pipeline.ts'
import type { LuaScript, RedisClient } from '#src/redis/lua-script.ts'
import { CLAIM, COUNT_FROM, DECLARE, RELEASE, STILL_HELD } from './claim-scripts.ts'
import { documentScripts } from './document-scripts.ts'
import { runInTouch, type ProcessLease, processKeyPrefix } from './process-lease.ts'

export interface RedisClaimsOptions {
  readonly connection: RedisClient
  readonly pipeline: string
  readonly lease: ProcessLease
  /** Raises the epoch in the store and returns it: at the first claim in a new or lost Redis. */
  readonly raiseEpoch: () => Promise<number>
}

/**
 * Fencing: a document is in one worker at a time. The queue may deliver a job twice: a worker stalled past its lock, or
 * two versions of a document were enqueued. Only one delivery gets the claim. The worker checks it right before a
 * commit, and commits nothing after a loss. The number of a claim protects against a worker that stalls after that
 * check: its commit has a lower number than the present one. The numbers survive a loss of Redis, since the store keeps
 * their epoch.
 */
export class RedisClaims {
  readonly #options: RedisClaimsOptions
  readonly #claimsKey: string
  /**
   * Claims whose release failed, with their source keys. Other processes cannot overwrite them while this one lives.
   */
  readonly #unreleased = new Map<string, SourceKey>()
  /** Claims of this process, independent of the state of Redis. */
  readonly #held = new Map<SourceKey, string>()
  /** Documents that this process is asking for: a second job must not treat the first one's claim as a leftover. */
  readonly #asking = new Set<SourceKey>()
  #count = 0
  #raising: Promise<number> | null = null

  constructor(options: RedisClaimsOptions) {
    this.#options = options
    this.#claimsKey = `${redisPrefix(options.pipeline)}:claims`
    options.lease.onNewEpoch(() => this.#declare())
    options.lease.onHeartbeat(() => this.#releaseAgain())
  }

  /** Null while another worker, or another job of this one, has the document. */
  async claim(key: SourceKey): Promise<RedisClaim | null> {
    if (this.#held.has(key) || this.#asking.has(key)) return null
    this.#count += 1
    const token = `${this.#options.lease.id}:${this.#count}`
    this.#asking.add(key)
    try {
      await this.#releaseAgain()
      const answer = await this.#ask(key, token)
      if (answer === 0) return null
      this.#held.set(key, token)
      return this.#claimOf(key, token, answer)
    } catch (error) {
      // The script may have run although its reply was lost.
      this.#unreleased.set(token, key)
      throw error
    } finally {
      this.#asking.delete(key)
    }
  }

  #claimOf(key: SourceKey, token: string, number: ClaimNumber): RedisClaim {
    return new RedisClaim(number, {
      stillHeld: () => runInTouch(this.#options.lease, () => this.#run(STILL_HELD, key, token)),
      release: () => {
        if (this.#held.get(key) === token) this.#held.delete(key)
        return this.#run(RELEASE, key, token)
      },
      endHold: this.#options.lease.hold(),
      remember: () => this.#unreleased.set(token, key),
    })
  }

  /** 0 while another process has the document. */
  async #ask(key: SourceKey, token: string): Promise<ClaimNumber | 0> {
    const { lease, connection, raiseEpoch } = this.#options
    for (;;) {
      const answer = await runInTouch(lease, () => this.#run(CLAIM, key, token))
      if (typeof answer === 'object') return { epoch: answer[0], number: answer[1] }
      if (answer === 0) return 0
      // This epoch has no counter of claims yet; documents that start together raise the epoch once.
      const { epoch } = lease
      this.#raising ??= raiseEpoch().finally(() => (this.#raising = null))
      await COUNT_FROM.run(connection, [lease.epochKey], [epoch, await this.#raising])
    }
  }

  #run<Reply>(script: LuaScript<Reply>, key: SourceKey, token: string): Promise<Reply> {
    const { connection, pipeline, lease } = this.#options
    const values = [key, token, processKeyPrefix(pipeline), lease.leaseMs, lease.id, lease.epoch]
    return documentScripts(connection, pipeline).run(script, [this.#claimsKey, lease.key, lease.epochKey], values)
  }

  /** Retries failed releases with each heartbeat. */
  async #releaseAgain(): Promise<void> {
    const left = [...this.#unreleased].map(async ([token, key]) => {
      await this.#run(RELEASE, key, token)
      this.#unreleased.delete(token)
    })
    await Promise.allSettled(left)
  }

  /**
   * A release may overtake the declaration, which is sent twice if Redis lost its scripts: the second run writes the
   * released claim back. This process therefore repeats releases of that time afterwards.
   */
  async #declare(): Promise<void> {
    const { connection, pipeline, lease } = this.#options
    const declared = [...this.#held]
    const values = [lease.id, processKeyPrefix(pipeline), ...declared.flat()]
    await DECLARE.run(connection, [this.#claimsKey], values)
    for (const [key, token] of declared) if (this.#held.get(key) !== token) this.#unreleased.set(token, key)
    await this.#releaseAgain()
  }
}

interface ClaimActions {
  stillHeld(): Promise<unknown>
  release(): Promise<unknown>
  /** Allows others to consider this process dead, as far as this claim is concerned. */
  endHold(): void
  /** Redis refused to release it. */
  remember(): void
}

class RedisClaim {
  readonly number: ClaimNumber
  readonly #actions: ClaimActions
  #releasing: Promise<void> | null = null

  constructor(number: ClaimNumber, actions: ClaimActions) {
    this.number = number
    this.#actions = actions
  }

  /** False if another worker took the document over. True is valid for a full lease from now. */
  async stillHeld(): Promise<boolean> {
    return (await this.#actions.stillHeld()) === 1
  }

  /** Idempotent, after a failure and after a success. */
  release(): Promise<void> {
    this.#releasing ??= this.#release()
    return this.#releasing
  }

  async #release(): Promise<void> {
    try {
      await this.#actions.release()
    } catch (error) {
      this.#releasing = null
      this.#actions.remember()
      throw error
    } finally {
      this.#actions.endHold()
    }
  }
}
