import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import type { ChunkTest } from '#src/corpus/export/where.ts'
import { stateOf } from '#src/corpus/feed/change.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { parseQuery, type Query } from './parse-query.ts'
import { bodyDigest, type Candidate, type SearchIndex } from './search-index.ts'
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

/** A chunk that holds the words; its body was read from the store and compared. */
export interface SearchHit extends Pick<
  ChunkLine,
  | 'id'
  | 'document'
  | 'kind'
  | 'title'
  | 'headings'
  | 'caption'
  | 'pages'
  | 'boxes'
  | 'sheet'
  | 'anchors'
  | 'markdownSpan'
  | 'body'
  | 'receipts'
  | 'grade'
  | 'outcome'
> {
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
  const query = parseQuery(question, (term) => index.frequencyOf(term))
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
  const read = new Map<string, Promise<StoredText>>()
  const stale = new Set<string>()
  const hits: SearchHit[] = []
  for (let at = 0; at < best.length; at += AT_ONCE) {
    const some = best.slice(at, at + AT_ONCE)
    for (const { document } of some) if (!read.has(document)) read.set(document, textOf(documents, document))
    for (const candidate of some) {
      const { state, markdown } = await (read.get(candidate.document) as Promise<StoredText>)
      const { digest, state: indexed, goneAt: _, contentHash: _hash, source: _source, ...facts } = candidate
      const body = markdown?.slice(...candidate.markdownSpan) ?? null
      if (body === null || state !== indexed || bodyDigest(body) !== digest) stale.add(candidate.document)
      else hits.push({ ...hitOf(facts), rank: hits.length + 1, body, snippet: snippetOf(body, wanted) })
    }
  }
  return { hits, stale, more: chosen.length > best.length }
}

function hitOf(candidate: Omit<Candidate, 'digest' | 'state' | 'goneAt' | 'contentHash' | 'source'>) {
  const { tokens: _tokens, oversize: _oversize, index: _index, parser: _parser, ...shown } = candidate
  return shown
}

/** Each chunk once, in the order of the expressions. */
function* candidatesOf(index: SearchIndex, matches: readonly string[]): Generator<Candidate> {
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

interface StoredText {
  readonly state: string | null
  readonly markdown: string | null
}

async function textOf(documents: OutputStore['documents'], key: string): Promise<StoredText> {
  const record = await documents.read(sourceKey(key))
  if (record === null) return { state: null, markdown: null }
  const markdown = await documents.readOutput(record.key, 'document.md', record)
  return { state: stateOf({ record, folder: '' }), markdown: markdown?.toString('utf8') ?? null }
}
