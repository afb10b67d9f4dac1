import type { OutputStore } from '#src/ports/output-store.ts'
import { SearchIndex } from './search-index.ts'
import {
  chunksOfDocument,
  type DocumentChunks,
  type SearchAnswer,
  type SearchOptions,
  searchStore,
} from './search-store.ts'
import { type IndexUpdate, updateSearch } from './update-search.ts'

type Listener = Pick<IndexUpdate, 'progress' | 'signal'>

/** A store with its index. */
export class StoreSearch implements Disposable {
  readonly #index: SearchIndex
  readonly #store: OutputStore

  /** `file`: of the index; `:memory:` for none. */
  constructor(store: OutputStore, file: string) {
    this.#store = store
    this.#index = new SearchIndex(file)
  }

  /** False until the first update is complete. */
  get isComplete(): boolean {
    return this.#index.cursor !== null
  }

  async update(listener: Listener): Promise<void> {
    await this.#index.withRepair(async () => updateSearch(this.#index, this.#store, withCounter(listener)))
  }

  /** Answers from the index as it is. */
  async answer(question: string, options: SearchOptions, listener: Listener): Promise<SearchAnswer> {
    const update = withCounter(listener)
    return this.#index.withRepair(
      async () => searchStore(this.#index, this.#store, question, options, update),
      async () => updateSearch(this.#index, this.#store, update),
    )
  }

  /** Reads chunks of a document, from a number on, counted from 0. */
  async chunks(key: string, from: number, limit: number, listener: Listener): Promise<DocumentChunks> {
    const range = { key, from, limit }
    const update = withCounter(listener)
    return this.#index.withRepair(
      async () => chunksOfDocument(this.#index, this.#store, range, update),
      async () => updateSearch(this.#index, this.#store, update),
    )
  }

  [Symbol.dispose](): void {
    this.#index[Symbol.dispose]()
  }
}

const withCounter = (listener: Listener): IndexUpdate => ({
  ...listener,
  openCounter: async () => (await import('#src/corpus/tokens/open-counter.ts')).openCounter('o200k_base'),
})
