import { chunksOf } from '#src/corpus/chunks/chunk-document.ts'
import type { ChunkableDocument, TokenCounter } from '#src/corpus/chunks/chunk.ts'
import { ChunkLines } from '#src/corpus/export/chunk-line.ts'
import { readDocument } from '#src/corpus/export/read-document.ts'
import { stateOf } from '#src/corpus/feed/change.ts'
import type { SourceKey } from '#src/document/ids.ts'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import type { Documents } from '#src/ports/output-store.ts'
import type { IndexedDocument } from './search-index.ts'

/** Tokens of a chunk of the index: passages of this size rank best. */
export const INDEX_LIMIT = 256

interface ReadForIndex {
  readonly kind: 'read'
  readonly record: DocumentRecord
  readonly document: ChunkableDocument
}

/** Reads a document of the store. `unread`: it is indexed without chunks. */
export async function readForIndex(
  documents: Pick<Documents, 'read' | 'readOutput'>,
  key: SourceKey,
): Promise<
  { readonly kind: 'removed' } | { readonly kind: 'unread'; readonly document: IndexedDocument } | ReadForIndex
> {
  const record = await documents.read(key)
  if (record === null) return { kind: 'removed' }
  if (record.goneAt !== undefined) return { kind: 'unread', document: withoutChunks(record.key, 'gone', record) }
  const found = await readDocument(documents, record)
  if (found.kind === 'no-markdown') return { kind: 'unread', document: withoutChunks(key, 'no_markdown', found.record) }
  if (found.kind === 'damaged') return { kind: 'unread', document: withoutChunks(key, 'damaged', found.record) }
  return found
}

/** `record`: null for a document that is missing in the store: the next change of the feed replaces it. */
export const withoutChunks = (
  key: SourceKey,
  status: 'gone' | 'no_markdown' | 'damaged',
  record: DocumentRecord | null,
): IndexedDocument => ({
  key,
  state: record === null ? '' : stateOf({ record, folder: '' }),
  status,
  missingPages: 0,
  facts: null,
  chunks: [],
})

export function indexed({ record, document }: ReadForIndex, counter: TokenCounter): IndexedDocument {
  const lines = new ChunkLines(record, document.markdown, null)
  const { source, contentHash, outcome, parser, pages } = record
  return {
    key: record.key,
    state: stateOf({ record, folder: '' }),
    status: 'read',
    missingPages: Math.max(0, (pages.total ?? 0) - (pages.parsed ?? pages.total ?? 0)),
    facts: {
      source,
      contentHash,
      receipts: receiptsOf(record).filter((receipt) => receipt !== null),
      parser: parser === undefined ? null : { class: parser.class, origin: parser.origin, version: parser.version },
      outcome,
      goneAt: null,
    },
    chunks: [...chunksOf(document, { counter, limit: INDEX_LIMIT, overlap: 0 })].map((chunk) => lines.of(chunk)),
  }
}
