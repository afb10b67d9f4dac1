import type { Account } from '#src/parse/read-account.ts'
import type { Events } from '#src/events.ts'

export interface AccountWatchOptions {
  /** Has a time limit of its own. */
  readonly read: (signal: AbortSignal) => Promise<Account | null>
  readonly onAccount: (account: Account) => void
  /** Least time between two readings. */
  readonly leastMs: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/**
 * Reads the account of an API key again after the service refused a request by a limit (429) or for credits (402): another
 * plan has other limits. Works in the background and at most once in `leastMs`, counted from its construction, because
 * the start of a process reads the account too. A reading that fails changes nothing.
 */
export class AccountWatch implements Disposable {
  readonly #options: AccountWatchOptions
  readonly #now: () => number
  readonly #stopped = new AbortController()
  #nextAt: number

  constructor(options: AccountWatchOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#nextAt = this.#now() + options.leastMs
  }

  /** Listens to the answers that a pipeline gets, until the watch is disposed of. */
  follow(events: Events): void {
    events.on('request:throttled', () => this.refused())
    events.on('run:halted', ({ cause }) => {
      if (cause === 'credits') this.refused()
    })
  }

  refused(): void {
    const now = this.#now()
    if (now < this.#nextAt || this.#stopped.signal.aborted) return
    this.#nextAt = now + this.#options.leastMs
    void this.#read()
  }

  [Symbol.dispose](): void {
    this.#stopped.abort()
  }

  async #read(): Promise<void> {
    const { read, onAccount } = this.#options
    const account = await read(this.#stopped.signal).catch(() => null)
    if (account !== null && !this.#stopped.signal.aborted) onAccount(account)
  }
}
