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
import { type CorpusFigure, type FigureDrawing, figuresOf } from './figures.ts'
import { settingsOf, type SettingValues } from './run.ts'

export interface DocumentFilter {
  readonly key?: (key: string) => boolean
  readonly outcome?: 'done' | 'partial'
  /** Whether documents that are gone from their source are among them; default: no. */
  readonly gone?: boolean
}

/** Which documents, and how they are divided. */
export interface ChunkingOptions extends DocumentFilter, DivisionOptions {}

/** Which figures are drawn, and how. */
export interface FigureSelection extends ChunkingOptions, FigureDrawing {}

export interface CorpusDocument {
  readonly key: SourceKey
  readonly record: DocumentRecord
  /** An output (`document.md`, `blocks.jsonl`, …); null where there is none of that name. */
  read(name: string): Promise<Buffer | null>
  /** `document.md`; null where it was parsed without Markdown. */
  markdown(): Promise<string | null>
}

/** The documents of a store, and what is made of them for retrieval. Sends nothing. */
export interface Corpus extends AsyncDisposable {
  readonly store: OutputStore
  /** In no order. */
  documents(filter?: DocumentFilter): AsyncIterable<CorpusDocument>
  /** As the lines of `sluice export --chunks`; those of a document come together and in order. */
  chunks(options?: ChunkingOptions): AsyncIterable<ChunkLine>
  /**
   * Images of the figures of PDFs, cropped from the original documents where their folder or bucket still holds them, each with the
   * chunk it belongs to. Those of one document are in memory together.
   */
  figures(options?: FigureSelection): AsyncIterable<CorpusFigure>
  /** Brings the change feed up to date, and answers the position behind its last change. */
  cursor(): Promise<string>
  /** What differs between two cursors, one change a document; without `since` from the beginning, without `until` up to now. */
  changes(range?: { readonly since?: string; readonly until?: string }): AsyncIterable<FeedEntry>
}

/**
 * Opens the documents of a store: a folder, `s3://bucket/prefix`, or a store of your own.
 *
 * @throws {SetupError} where no store is there
 */
export async function openCorpus(out: string | OutputStore, settings: SettingValues = {}): Promise<Corpus> {
  await using resources = new AsyncDisposableStack()
  const store =
    typeof out === 'string'
      ? await openStore(await settingsOf({ ...settings, out }), resources, { mustExist: true })
      : out
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
