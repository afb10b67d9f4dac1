import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { ChunkTest } from '#src/corpus/export/where.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { type Match, parseQuery, type Query } from './parse-query.ts'
import { type ProvenChunk, StoredTexts } from './prove-chunk.ts'
import type { Candidate, DocumentStatus, SearchIndex } from './search-index.ts'
import { type Snippet, snippetOf } from './snippet.ts'
import { type IndexUpdate, reindex } from './update-search.ts'

export interface SearchOptions {
  /** Maximum number of hits. */
  readonly limit: number
  /** Null for all documents. */
  readonly key: ((key: string) => boolean) | null
  readonly where: ChunkTest | null
  /** True for the best hit of each document alone. */
  readonly byDocument: boolean
}

/** A chunk that holds the words. */
export interface SearchHit extends ProvenChunk {
  /** From 1. */
  readonly rank: number
  /** BM25; comparable within an answer. */
  readonly score: number
  readonly snippet: Snippet
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[]
  /** True if further chunks match. */
  readonly more: boolean
  readonly coverage: Coverage
  /** False if the question has no word to search for. */
  readonly hasWords: boolean
  /** Number of words beyond the limit of 64, which were not searched. */
  readonly ignoredWords: number
}

/** Maximum number of repetitions for documents that change during the search. */
const MAX_ROUNDS = 3

/** Number of documents read at a time. */
const AT_ONCE = 8

/**
 * Answers a question from the index. Each hit is read from the store again: a document that differs from its index is
 * divided again, and a hit that still differs is dropped.
 */
export async function searchStore(
  index: SearchIndex,
  store: Pick<OutputStore, 'feed' | 'documents' | 'deadLetters'>,
  question: string,
  options: SearchOptions,
  update: IndexUpdate,
): Promise<SearchAnswer> {
  const query = parseQuery(question, index.frequencies)
  const answer = { hasWords: query.matches.length > 0, ignoredWords: query.ignored }
  for (let round = 1; ; round++) {
    const { hits, stale, more } = await proven(index, store, query, options)
    if (stale.size === 0 || round === MAX_ROUNDS) {
      return { ...answer, hits, more, coverage: coverageOf(index, options.key) }
    }
    await reindex(index, store, stale, update)
  }
}

interface Proven {
  readonly hits: readonly SearchHit[]
  /** Keys of documents that differ from the index. */
  readonly stale: ReadonlySet<string>
  readonly more: boolean
}

async function proven(
  index: SearchIndex,
  { documents }: Pick<OutputStore, 'documents'>,
  { matches, wanted }: Query,
  options: SearchOptions,
): Promise<Proven> {
  const chosen = chosenFrom(candidatesOf(index, matches), options)
  const best = chosen.slice(0, options.limit)
  const texts = new StoredTexts(documents)
  const stale = new Set<string>()
  const hits: SearchHit[] = []
  for (let at = 0; at < best.length; at += AT_ONCE) {
    const some = best.slice(at, at + AT_ONCE)
    const chunks = await Promise.all(some.map((candidate) => texts.prove(candidate)))
    for (const [number, chunk] of chunks.entries()) {
      const { document, score } = some[number] as Candidate
      if (chunk === null) stale.add(document)
      else hits.push({ rank: hits.length + 1, score, ...chunk, snippet: snippetOf(chunk.body, wanted) })
    }
  }
  return { hits, stale, more: chosen.length > best.length }
}

/** Each chunk once, in the order of the expressions. */
function* candidatesOf(index: SearchIndex, matches: readonly Match[]): Generator<Candidate> {
  const seen = new Set<string>()
  for (const match of matches) {
    for (const candidate of index.candidates(match)) {
      if (!seen.has(candidate.id)) yield candidate
      seen.add(candidate.id)
    }
  }
}

/** The best candidates within the filters, and one more. Reads the index in one go. */
function chosenFrom(candidates: Iterable<Candidate>, { limit, key, where, byDocument }: SearchOptions): Candidate[] {
  const chosen: Candidate[] = []
  const wanted = new Map<string, boolean>()
  for (const candidate of candidates) {
    const { document } = candidate
    const isWanted = wanted.get(document) ?? key?.(document) !== false
    wanted.set(document, isWanted)
    // `parseSearchWhere` admits only conditions on fields of candidates.
    if (!isWanted || where?.(candidate as unknown as ChunkLine) === false) continue
    if (byDocument) wanted.set(document, false)
    if (chosen.push(candidate) > limit) break
  }
  return chosen
}

/** Part of the chunks of a document, in order. */
export interface DocumentChunks {
  /** Null for a document that the index does not have. Only a `read` one has chunks. */
  readonly status: DocumentStatus | null
  /** Number of all chunks. */
  readonly total: number
  readonly chunks: readonly ProvenChunk[]
}

/** Reads chunks of a document, from a number on, counted from 0. A document that differs is divided again first. */
export async function chunksOfDocument(
  index: SearchIndex,
  store: Pick<OutputStore, 'feed' | 'documents' | 'deadLetters'>,
  { key, from, limit }: { readonly key: string; readonly from: number; readonly limit: number },
  update: IndexUpdate,
): Promise<DocumentChunks> {
  for (let round = 1; ; round++) {
    const texts = new StoredTexts(store.documents)
    const { state } = await texts.of(key)
    if (state === null) return { status: null, total: 0, chunks: [] }
    const { status, total } = index.document(key)
    const proofs = await Promise.all(index.chunksOf(key, from, limit).map((one) => texts.prove(one)))
    const chunks = proofs.filter((chunk) => chunk !== null)
    const isStale = state !== index.stateOf(key) || chunks.length < proofs.length
    if (!isStale || round === MAX_ROUNDS) return { status, total, chunks }
    await reindex(index, store, new Set([key]), update)
  }
}
