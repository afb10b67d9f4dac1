import { setTimeout as sleep } from 'node:timers/promises'
import type { Events } from '#src/events.ts'
import { type EngineProcess, EngineRefused } from './engine-process.ts'

export interface SupervisorOptions {
  readonly start: (signal: AbortSignal) => Promise<EngineProcess>
  readonly events: Events
}

/**
 * Keeps the embedded engine up, from the first `ready` on.
 *
 * - `idle`: no request was to be sent; no process.
 * - `starting`: a process was spawned and does not listen yet.
 * - `up`: it listens; requests go to its address.
 * - `down`: it ended, or did not come to listen. Requests are refused by the last address and count as unavailable. After
 *   the delay of `restartAfter` it is started again.
 * - `refused`: the engine said that it cannot start, such as without a converter. `run:halted` was emitted; it is not
 *   started again.
 * - `closed`: disposed of; nothing is started any more.
 *
 * After eight lives in a row without one answer `run:halted` is emitted at each further end; supervision goes on, for
 * `watch` and `work`.
 */
export class EngineSupervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions
  readonly #closing = new AbortController()
  /** Resolves when the engine listens for the first time: with null, or with the reason why it does not come to. */
  #firstUp = Promise.withResolvers<string | null>()
  #loop: Promise<void> | null = null
  #engine: EngineProcess | null = null
  #url = ''
  #useful = false
  #uselessLives = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Where it listens; another address after each restart. While it is down, the last one, which refuses. */
  get url(): string {
    return this.#url
  }

  /** As `Parser.ready`. An engine that was up once counts as ready: while it is down, requests find that out. */
  async ready(signal: AbortSignal): Promise<string | null> {
    if (this.#url !== '') return null
    this.#loop ??= this.#keep()
    const stopped = Promise.withResolvers<never>()
    const stop = (): void => stopped.reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      return await Promise.race([this.#firstUp.promise, stopped.promise])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** An answer came: this life was of use. */
  served(): void {
    this.#useful = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#firstUp.resolve('the process ends')
    await this.#engine?.[Symbol.asyncDispose]()
    await this.#loop
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const how = await this.#oneLife()
      if (signal.aborted) return
      const decision = restartAfter(this.#uselessLives, this.#useful)
      this.#uselessLives = decision.uselessLives
      this.#useful = false
      this.#report(how, decision)
      await sleep(decision.delayMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Resolves when it is over, with how it ended. */
  async #oneLife(): Promise<string> {
    try {
      this.#engine = await this.#options.start(this.#closing.signal)
      this.#url = this.#engine.url
      if (this.#closing.signal.aborted) await this.#engine[Symbol.asyncDispose]()
      else if (this.#uselessLives > 0) this.#options.events.emit('dependency:works', { dependency: 'engine' })
      this.#firstUp.resolve(null)
      return `the embedded engine ended (${await this.#engine.ended})`
    } catch (error) {
      if (error instanceof EngineRefused && this.#url === '') this.#refuse(error.message)
      return `the embedded engine did not start: ${error instanceof Error ? error.message : String(error)}`
    } finally {
      this.#engine = null
    }
  }

  #refuse(reason: string): void {
    const message = `the embedded engine cannot start: ${reason}`
    this.#closing.abort()
    this.#options.events.emit('run:halted', { cause: 'installation', message })
    this.#firstUp.resolve(message)
  }

  #report(how: string, { cannotStayUp, uselessLives }: RestartDecision): void {
    const { events } = this.#options
    events.emit('dependency:failed', { dependency: 'engine', cause: `${how} and is restarted` })
    if (!cannotStayUp) return
    const message =
      `the embedded engine cannot stay up: ${uselessLives} starts in a row came to nothing. The last time ${how}. ` +
      'SIGKILL often is the kernel short of memory: lower --engine-processes, or set PARSE_API_URL to another service'
    events.emit('run:halted', { cause: 'engine', message })
    if (this.#url !== '') return
    // Documents that wait are postponed; the next ones wait for the next life.
    this.#firstUp.resolve(message)
    this.#firstUp = Promise.withResolvers<string | null>()
  }
}

/** How often a supervised program may end without having done anything useful before the batch is halted. */
const USELESS_LIVES = 8
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000

interface RestartDecision {
  /** Lives in a row that ended without one useful answer. */
  readonly uselessLives: number
  readonly delayMs: number
  /** It will not stay up by itself: a person must act. It is restarted all the same. */
  readonly cannotStayUp: boolean
}

/** Exponential backoff over lives that were of no use; one answer in a life begins the count anew. */
function restartAfter(uselessLives: number, wasUseful: boolean): RestartDecision {
  const now = wasUseful ? 1 : uselessLives + 1
  return {
    uselessLives: now,
    delayMs: Math.min(FIRST_DELAY_MS * 2 ** (now - 1), LONGEST_DELAY_MS),
    cannotStayUp: now >= USELESS_LIVES,
  }
}
