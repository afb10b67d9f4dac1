import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentChunks, SearchAnswer, SearchOptions } from '#src/corpus/search/search-store.ts'
import type { StoreSearch } from '#src/corpus/search/store-search.ts'

/** Minimum interval between two updates of the index: each lists the store. */
const UPDATE_EVERY_MS = 15_000

/** Maximum wait of a page for an update, after which it shows the hits of the present index. */
const WAIT_MS = 2_000

/** Number of hits of a page. */
const HITS = 20

/** The first update of the index is not complete. */
export interface Indexing {
  readonly kind: 'indexing'
  readonly documents: number
}

export type ConsoleAnswer = { readonly kind: 'answer'; readonly answer: SearchAnswer } | Indexing

export type ConsoleChunks = ({ readonly kind: 'chunks' } & DocumentChunks) | Indexing

/** Search of the console: requests start updates, and do not wait for long ones. */
export class ConsoleSearch {
  readonly #search: Pick<StoreSearch, 'update' | 'answer' | 'chunks' | 'isComplete'>
  readonly #signal: AbortSignal
  readonly #onError: (error: unknown) => void
  #update: Promise<void> | null = null
  #updatedAt = -Infinity
  #documents = 0

  constructor(
    search: Pick<StoreSearch, 'update' | 'answer' | 'chunks' | 'isComplete'>,
    signal: AbortSignal,
    onError: (error: unknown) => void,
  ) {
    this.#search = search
    this.#signal = signal
    this.#onError = onError
  }

  async answer(question: string, options: Partial<SearchOptions> = {}): Promise<ConsoleAnswer> {
    if (!(await this.#isReady())) return { kind: 'indexing', documents: this.#documents }
    const all = { limit: HITS, key: null, where: null, byDocument: false, ...options }
    return { kind: 'answer', answer: await this.#search.answer(question, all, this.#listener()) }
  }

  /** Reads chunks of a document, from a number on, counted from 0. */
  async chunks(key: string, from: number, limit: number): Promise<ConsoleChunks> {
    if (!(await this.#isReady())) return { kind: 'indexing', documents: this.#documents }
    return { kind: 'chunks', ...(await this.#search.chunks(key, from, limit, this.#listener())) }
  }

  /** Resolves when no update is in flight. */
  async settled(): Promise<void> {
    await this.#update
  }

  async #isReady(): Promise<boolean> {
    if (this.#update === null && performance.now() - this.#updatedAt >= UPDATE_EVERY_MS) this.#update = this.#run()
    if (this.#update !== null) {
      await Promise.race([this.#update, sleep(WAIT_MS, undefined, { ref: false })])
    }
    return this.#search.isComplete
  }

  #listener() {
    return { progress: () => undefined, signal: this.#signal }
  }

  async #run(): Promise<void> {
    this.#documents = 0
    try {
      await this.#search.update({ progress: (documents) => (this.#documents = documents), signal: this.#signal })
    } catch (error) {
      if (!this.#signal.aborted) this.#onError(error)
    }
    this.#updatedAt = performance.now()
    this.#update = null
  }
}
