import { setTimeout as sleep } from 'node:timers/promises'
import { DependencyUnusable } from '#src/document/dependency.ts'
import type { Events } from '#src/events.ts'
import { type EngineProcess, EngineRefused } from './engine-process.ts'
import { type RestartDecision, restartAfter } from './restart-policy.ts'

export interface SupervisedEngine extends AsyncDisposable {
  /** Where it listens; another address after each restart. While it is down, the last one, which refuses. */
  readonly url: string
  /** An answer came: this life was of use. */
  served(): void
}

export interface SupervisorOptions {
  readonly start: (signal: AbortSignal) => Promise<EngineProcess>
  readonly events: Events
}

/**
 * Keeps the embedded engine up.
 *
 * - `starting`: a process was spawned and does not listen yet.
 * - `up`: it listens; requests go to its address.
 * - `down`: it ended, or did not come to listen. Requests are refused by the last address and count as unavailable. After
 *   the delay of `restartAfter` it is started again.
 * - `closed`: disposed of; nothing is started any more.
 *
 * After eight lives in a row without one answer `run:halted` is emitted at each further end; supervision goes on, for
 * `watch` and `work`.
 *
 * @throws {DependencyUnusable} when the first eight lives end before the engine listens, or the first is refused by the
 *   engine itself
 */
export async function superviseEngine(options: SupervisorOptions, signal: AbortSignal): Promise<SupervisedEngine> {
  const supervisor = new EngineSupervisor(options)
  const stop = (): void => supervisor.abandon(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await supervisor.firstUp
    return supervisor
  } catch (error) {
    await supervisor[Symbol.asyncDispose]()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

class EngineSupervisor implements SupervisedEngine {
  readonly #options: SupervisorOptions
  readonly #closing = new AbortController()
  readonly #up = Promise.withResolvers<void>()
  readonly #loop: Promise<void>
  #engine: EngineProcess | null = null
  #url = ''
  #useful = false
  #uselessLives = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#up.promise.catch(() => undefined)
    this.#loop = this.#keep()
  }

  get firstUp(): Promise<void> {
    return this.#up.promise
  }

  get url(): string {
    return this.#url
  }

  served(): void {
    this.#useful = true
  }

  abandon(reason: unknown): void {
    this.#up.reject(reason)
    this.#closing.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
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
      this.#tell(how, decision)
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
      this.#up.resolve()
      return `the embedded engine ended (${await this.#engine.ended})`
    } catch (error) {
      if (error instanceof EngineRefused && this.#url === '') {
        this.abandon(new DependencyUnusable(`the embedded engine cannot start: ${error.message}`, { cause: error }))
      }
      return `the embedded engine did not start: ${error instanceof Error ? error.message : String(error)}`
    } finally {
      this.#engine = null
    }
  }

  #tell(how: string, { cannotStayUp, uselessLives }: RestartDecision): void {
    const { events } = this.#options
    events.emit('dependency:failed', { dependency: 'engine', cause: `${how} and is restarted` })
    if (!cannotStayUp) return
    const message =
      `the embedded engine cannot stay up: ${uselessLives} starts in a row came to nothing. The last time ${how}. ` +
      'SIGKILL often is the kernel short of memory: lower --engine-processes, or set PARSE_API_URL to another service'
    events.emit('run:halted', { cause: 'engine', message })
    this.#up.reject(new DependencyUnusable(message))
  }
}
