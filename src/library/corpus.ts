import { openStore } from '#workers/open-store.ts'
import { MAX_LIMIT, MIN_LIMIT, type TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { chunksOf } from '#src/corpus/chunks/chunk-document.ts'
import { type ChunkLine, ChunkLines } from '#src/corpus/export/chunk-line.ts'
import { readAhead } from '#src/corpus/export/read-ahead.ts'
import { readDocument } from '#src/corpus/export/read-document.ts'
import { cursorText } from '#src/corpus/feed/change-log.ts'
import type { FeedEntry } from '#src/corpus/feed/change.ts'
import { netChanges } from '#src/corpus/feed/net-changes.ts'
import { updateFeed } from '#src/corpus/feed/update-feed.ts'
import { openCounter } from '#src/corpus/tokens/open-counter.ts'
import { HygieneReader } from '#src/corpus/hygiene/hygiene.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { settingsOf, type SettingValues } from './run.ts'

export interface DocumentFilter {
  readonly key?: (key: string) => boolean
  readonly outcome?: 'done' | 'partial'
  /** Whether documents that are gone from their source are among them; default: no. */
  readonly gone?: boolean
}

export interface ChunkingOptions extends DocumentFilter {
  /** Most tokens of a chunk, 64 to 8,192; default: 512. */
  readonly limit?: number
  /** Tokens of the chunk before that are repeated, up to a quarter of the limit; default: 0. */
  readonly overlap?: number
  /** Whether a page that fits is one chunk, and no chunk holds blocks of two pages; default: no. */
  readonly pages?: boolean
  /** `o200k_base` (default), `cl100k_base`, `p50k_base`, `r50k_base`, the path of a `tokenizer.json`, or a counter of your own. */
  readonly tokenizer?: string | TokenCounter
  /** Whether each chunk tells its language, duplicates, quality and personal data; else those fields are null. */
  readonly hygiene?: boolean
  /** Called for a document whose files are damaged; without it that is an error. */
  readonly onDamaged?: (key: string) => void
}

export interface CorpusDocument {
  readonly key: SourceKey
  readonly record: DocumentRecord
  /** An output (`document.md`, `blocks.jsonl`, …); null where there is none of that name. */
  read(name: string): Promise<Buffer | null>
  /** `document.md`; null where it was parsed without Markdown. */
  markdown(): Promise<string | null>
}

/** The documents of a store, and what is made of them for retrieval. Reads the store and sends nothing. */
export interface Corpus extends AsyncDisposable {
  readonly store: OutputStore
  /** In no order. */
  documents(filter?: DocumentFilter): AsyncIterable<CorpusDocument>
  /** As the lines of `sluice export --chunks`; those of a document come together and in order. */
  chunks(options?: ChunkingOptions): AsyncIterable<ChunkLine>
  /** Brings the change feed up to date, and answers the position behind its last change. */
  cursor(): Promise<string>
  /** What differs between two cursors, one entry a document; without `since` from the beginning, without `until` up to now. */
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
  return {
    store,
    documents: (filter) => documentsOf(store, filter ?? {}),
    chunks: (options) => chunksIn(store, options ?? {}),
    cursor: async () => cursorText((await updateFeed(store, never())).cursor),
    changes: (range) => changesOf(store, range ?? {}),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const never = (): AbortSignal => new AbortController().signal

/** Documents that are read while others are divided. */
const AHEAD = 8

async function* recordsOf(store: OutputStore, filter: DocumentFilter): AsyncGenerator<DocumentRecord> {
  const { key = () => true, outcome = null, gone = false } = filter
  for await (const record of store.listRecords(never())) {
    const isWanted = key(record.key) && (outcome === null || record.outcome === outcome)
    if (isWanted && (gone || record.goneAt === undefined)) yield record
  }
}

async function* documentsOf(store: OutputStore, filter: DocumentFilter): AsyncGenerator<CorpusDocument> {
  for await (const record of recordsOf(store, filter)) {
    const read = async (name: string): Promise<Buffer | null> => store.readOutput(record.key, name)
    const markdown = async (): Promise<string | null> => (await read('document.md'))?.toString('utf8') ?? null
    yield { key: record.key, record, read, markdown }
  }
}

async function* chunksIn(store: OutputStore, options: ChunkingOptions): AsyncGenerator<ChunkLine> {
  const { limit = 512, overlap = 0, pages = false, tokenizer = 'o200k_base', onDamaged } = options
  if (!Number.isInteger(limit) || limit < MIN_LIMIT || limit > MAX_LIMIT) {
    throw new SetupError(`limit takes a whole number from ${MIN_LIMIT} to ${MAX_LIMIT}, not ${limit}`)
  }
  if (!Number.isInteger(overlap) || overlap < 0 || overlap > limit / 4) {
    throw new SetupError(`overlap takes a whole number up to a quarter of the limit, not ${overlap}`)
  }
  const reader = options.hygiene === true ? await HygieneReader.open() : null
  const counter = typeof tokenizer === 'string' ? await openCounter(tokenizer) : tokenizer
  const records = recordsOf(store, options)
  for await (const found of readAhead(records, async (record) => readDocument(store, record), AHEAD)) {
    if (found.kind === 'damaged') {
      const { key } = found.record
      if (onDamaged === undefined) {
        throw new Error(`the files of ${JSON.stringify(key)} are not what its record says: run sluice verify --repair`)
      }
      onDamaged(key)
    }
    if (found.kind !== 'read') continue
    const lines = new ChunkLines(found.record, reader)
    for (const chunk of chunksOf(found.document, { counter, limit, overlap, pages })) yield lines.of(chunk)
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
