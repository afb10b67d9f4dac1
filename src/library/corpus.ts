import { openStore } from '#workers/open/open-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import type { FeedEntry } from '#src/corpus/feed/change.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { chunkLines, type DivisionOptions } from './chunk-lines.ts'
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
  const kept = resources.move()
  const values = typeof out === 'string' ? { ...settings, out } : settings
  return {
    store,
    documents: (filter) => documentsOf(store, filter ?? {}),
    chunks: (options = {}) => chunkLines(store, recordsOf(store, options), options),
    figures: (options = {}) => figuresOf(store, recordsOf(store, options), options, values),
    cursor: async () => cursorText((await updateFeed(store, never())).cursor),
    changes: (range) => changesOf(store, range ?? {}),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
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
