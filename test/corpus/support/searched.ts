import type { SearchIndex } from '#src/corpus/search/search-index.ts'
import { type SearchAnswer, type SearchOptions, searchStore } from '#src/corpus/search/search-store.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { outputs, recordOf } from '../../support/documents.ts'
import { MemoryStore } from '../../support/memory-store.ts'
import { wordCounter } from './word-counter.ts'

/** Indexes with a counter of words. */
export const update = {
  openCounter: async () => wordCounter,
  progress: () => undefined,
  signal: new AbortController().signal,
}

export const ALL: SearchOptions = { limit: 1_000, key: null, where: null, byDocument: false }

export const ask = (index: SearchIndex, store: OutputStore, question: string, options: Partial<SearchOptions> = {}) =>
  searchStore(index, store, question, { ...ALL, ...options }, update)

export async function put(store: OutputStore, key: string, markdown: string, changes = {}): Promise<void> {
  const files = outputs({ 'document.md': markdown })
  await store.documents.commit(recordOf(key, files, changes), files)
}

export async function storeOf(texts: Readonly<Record<string, string>>): Promise<MemoryStore> {
  const store = new MemoryStore()
  for (const [key, text] of Object.entries(texts)) await put(store, key, text)
  return store
}

export const documentsOf = ({ hits }: SearchAnswer): string[] => hits.map(({ document }) => document)

/** Hits and coverage of an answer, in no order. */
export const summary = ({ hits, coverage }: SearchAnswer): unknown => ({
  coverage: { ...coverage, examples: coverage.examples.map((one) => JSON.stringify(one)).toSorted() },
  hits: hits.map(({ id, markdownSpan, body }) => `${id} ${markdownSpan.join('-')} ${body}`).toSorted(),
})
