import { setTimeout as sleep } from 'node:timers/promises'
import type { Events } from '#src/events.ts'
import { type EngineProcess, EngineRefused } from './engine-process.ts'

export interface SupervisorOptions {
  readonly start: (signal: AbortSignal) => Promise<EngineProcess>
  readonly events: Events
}

/**
 * Supervises the embedded engine, from the first `ready` on.
 *
 * - `idle`: no request was due; no process runs.
 * - `starting`: a process runs and does not listen yet.
 * - `up`: the engine listens; requests use its address.
 * - `down`: the engine ended, or failed to listen. Its last address refuses requests, which count as unavailable. The
 *   supervisor restarts it after the backoff of `restartAfter`.
 * - `refused`: the engine reported that it cannot start, for example without a converter. The supervisor emitted
 *   `run:halted` and does not restart it.
 * - `closed`: disposed of; nothing starts any more.
 *
 * After eight lives in a row without an answer, each further end emits `run:halted`. Supervision continues, for `watch`
 * and `work`.
 */
export class EngineSupervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions
  readonly #closing = new AbortController()
  /** Resolves when the engine listens for the first time: with null, or with the reason for a failed start. */
  #firstUp = Promise.withResolvers<string | null>()
  #loop: Promise<void> | null = null
  #engine: EngineProcess | null = null
  #url = ''
  #hasAnswered = false
  #failedLives = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /**
   * Current address; it changes with each restart. While the engine is down, the last address, which refuses requests.
   */
  get url(): string {
    return this.#url
  }

  /** Like `Parser.ready`. An engine that was up once counts as ready: requests detect that it is down. */
  async ready(signal: AbortSignal): Promise<string | null> {
    if (this.#url !== '') return null
    this.#loop ??= this.#supervise()
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

  /** Marks this life as useful: an answer arrived. */
  recordAnswer(): void {
    this.#hasAnswered = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#firstUp.resolve('the process ends')
    await this.#engine?.[Symbol.asyncDispose]()
    await this.#loop
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const how = await this.#runOnce()
      if (signal.aborted) return
      const decision = restartAfter(this.#failedLives, this.#hasAnswered)
      this.#failedLives = decision.failedLives
      this.#hasAnswered = false
      this.#report(how, decision)
      await sleep(decision.delayMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Resolves with the way this life ended, when it has ended. */
  async #runOnce(): Promise<string> {
    try {
      this.#engine = await this.#options.start(this.#closing.signal)
      this.#url = this.#engine.url
      if (this.#closing.signal.aborted) await this.#engine[Symbol.asyncDispose]()
      else if (this.#failedLives > 0) this.#options.events.emit('dependency:works', { dependency: 'engine' })
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

  #report(how: string, { isCrashLoop, failedLives }: RestartDecision): void {
    const { events } = this.#options
    events.emit('dependency:failed', { dependency: 'engine', cause: `${how} and is restarted` })
    if (!isCrashLoop) return
    const message =
      `the embedded engine cannot stay up: ${failedLives} starts in a row failed. At the last one, ${how}. ` +
      'If it was ended by SIGKILL, the machine lacks memory: lower --engine-processes, or set PARSE_API_URL to another service'
    events.emit('run:halted', { cause: 'engine', message })
    if (this.#url !== '') return
    // The queue postpones documents that wait; later documents wait for the next life.
    this.#firstUp.resolve(message)
    this.#firstUp = Promise.withResolvers<string | null>()
  }
}

/** Threshold of failed lives in a row before the supervisor halts the batch. */
const CRASH_LOOP_LIVES = 8
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000

interface RestartDecision {
  /** Number of lives in a row that ended without a useful answer. */
  readonly failedLives: number
  readonly delayMs: number
  /** True if the engine needs an operator. The supervisor still restarts it. */
  readonly isCrashLoop: boolean
}

/** Exponential backoff over failed lives; one answer in a life resets the count. */
function restartAfter(failedLives: number, wasUseful: boolean): RestartDecision {
  const now = wasUseful ? 1 : failedLives + 1
  return {
    failedLives: now,
    delayMs: Math.min(FIRST_DELAY_MS * 2 ** (now - 1), MAX_DELAY_MS),
    isCrashLoop: now >= CRASH_LOOP_LIVES,
  }
}
