import { indexFileOf } from '#workers/open/index-file.ts'
import { openStore } from '#workers/open/open-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import type { FeedEntry } from '#src/corpus/feed/change.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { cite, type CitationCheck, type Quotation } from '#src/corpus/search/cite.ts'
import type { SearchAnswer } from '#src/corpus/search/search-store.ts'
import type { StoreSearch } from '#src/corpus/search/store-search.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { chunkLines, type DivisionOptions, requireWhole } from './chunk-lines.ts'
import { customStore } from './custom-store.ts'
import { type CorpusFigure, type FigureDrawing, figuresOf } from './figures.ts'
import { settingsOf, type SettingValues } from './run.ts'

export interface DocumentFilter {
  readonly key?: (key: string) => boolean
  readonly outcome?: 'done' | 'partial'
  /** True to include documents that are gone from their source; default: false. */
  readonly gone?: boolean
}

/** Selection of documents, and the chunking options. */
export interface ChunkingOptions extends DocumentFilter, DivisionOptions {}

/** Selection of figures, and the drawing options. */
export interface FigureSelection extends ChunkingOptions, FigureDrawing {}

export interface SearchSelection {
  /** Maximum number of hits; default: 10. */
  readonly limit?: number
  readonly key?: (key: string) => boolean
  /** A condition on columns, as of `sluice search --where`. */
  readonly where?: string
  /** `document` for the best hit of each document alone. */
  readonly group?: 'document'
  /** False to answer from the index as it is; default: true. */
  readonly update?: boolean
}

export interface CorpusDocument {
  readonly key: SourceKey
  readonly record: DocumentRecord
  /** An output (`document.md`, `blocks.jsonl`, …); null if none has that name. */
  read(name: string): Promise<Buffer | null>
  /** `document.md`; null if the document was parsed without Markdown. */
  markdown(): Promise<string | null>
}

/** Documents of a store, with their chunks and figures for retrieval. Sends nothing. */
export interface Corpus extends AsyncDisposable {
  readonly store: OutputStore
  /** Streams documents in no order. */
  documents(filter?: DocumentFilter): AsyncIterable<CorpusDocument>
  /** Streams the lines of `sluice export --chunks`. The chunks of a document are consecutive and in order. */
  chunks(options?: ChunkingOptions): AsyncIterable<ChunkLine>
  /**
   * Streams images of the figures of PDFs, each with its chunk. They are cropped from the original documents, if their
   * folder or bucket still holds them. The images of one document are in memory together.
   */
  figures(options?: FigureSelection): AsyncIterable<CorpusFigure>
  /**
   * Answers a question like `sluice search`: the index is brought up to date first, and each hit is compared with its
   * document. The index of a store of your own is in memory.
   */
  search(question: string, options?: SearchSelection): Promise<SearchAnswer>
  /** Compares a quotation, such as a hit or a chunk with its `body` as `text`, with the present document. */
  cite(quotation: Quotation): Promise<CitationCheck>
  /** Updates the change feed, and returns the cursor after its last change. */
  cursor(): Promise<string>
  /**
   * Streams the net changes between two cursors, one per document. Defaults: `since` the beginning, `until` the
   * present.
   */
  changes(range?: { readonly since?: string; readonly until?: string }): AsyncIterable<FeedEntry>
}

/**
 * Opens the documents of a store: a folder, `s3://bucket/prefix`, or a custom store.
 *
 * @throws {SetupError} if no store exists there
 */
export async function openCorpus(out: string | OutputStore, settings: SettingValues = {}): Promise<Corpus> {
  await using resources = new AsyncDisposableStack()
  const store =
    typeof out === 'string'
      ? await openStore(await settingsOf({ ...settings, out }), resources, { mustExist: true })
      : customStore(out)
  const values = typeof out === 'string' ? { ...settings, out } : settings
  const open = async (): Promise<StoreSearch> => {
    const { StoreSearch: Search } = await import('#src/corpus/search/store-search.ts')
    const file = typeof out === 'string' ? await indexFileOf(await settingsOf(values), store.url) : ':memory:'
    return kept.use(new Search(store, file))
  }
  let opened: Promise<StoreSearch> | null = null
  const kept = resources.move()
  return {
    store,
    documents: (filter) => documentsOf(store, filter ?? {}),
    chunks: (options = {}) => chunkLines(store, recordsOf(store, options), options),
    figures: (options = {}) => figuresOf(store, recordsOf(store, options), options, values),
    search: async (question, options) => answerOf(await (opened ??= open()), question, options ?? {}),
    cite: (quotation) => cite(store.documents, quotation),
    cursor: async () => cursorText((await updateFeed(store, never())).cursor),
    changes: (range) => changesOf(store, range ?? {}),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function answerOf(
  search: StoreSearch,
  question: string,
  { limit = 10, key, where, group, update = true }: SearchSelection,
): Promise<SearchAnswer> {
  if (typeof question !== 'string') throw new SetupError(`search takes a question as text, not ${typeof question}`)
  if (key !== undefined && typeof key !== 'function') throw new SetupError('key takes a function of the document key')
  if (group !== undefined && group !== 'document') throw new SetupError('group takes document')
  requireWhole('limit', limit, 1, 1000)
  const test = where === undefined ? null : (await import('#src/corpus/search/search-where.ts')).parseSearchWhere(where)
  const listener = { progress: () => undefined, signal: never() }
  if (update || !search.isComplete) await search.update(listener)
  return search.answer(question, { limit, key: key ?? null, where: test, byDocument: group === 'document' }, listener)
}

const never = (): AbortSignal => new AbortController().signal

async function* recordsOf(store: OutputStore, filter: DocumentFilter): AsyncGenerator<DocumentRecord> {
  const { key = () => true, outcome = null, gone = false } = filter
  for await (const record of store.documents.list(never())) {
    const isWanted = key(record.key) && (outcome === null || record.outcome === outcome)
    if (isWanted && (gone || record.goneAt === undefined)) yield record
  }
}

async function* documentsOf(store: OutputStore, filter: DocumentFilter): AsyncGenerator<CorpusDocument> {
  for await (const record of recordsOf(store, filter)) {
    const read = async (name: string): Promise<Buffer | null> => store.documents.readOutput(record.key, name, record)
    const markdown = async (): Promise<string | null> => (await read('document.md'))?.toString('utf8') ?? null
    yield { key: record.key, record, read, markdown }
  }
}

async function* changesOf(
  store: OutputStore,
  { since, until }: { readonly since?: string; readonly until?: string },
): AsyncGenerator<FeedEntry> {
  const { log, cursor } = await updateFeed(store, never())
  const [from, upTo] = [
    since === undefined ? 0 : log.cursor(since).segments,
    until === undefined ? cursor : log.cursor(until),
  ]
  yield* netChanges(log, from, upTo.segments)
}
