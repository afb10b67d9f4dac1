import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { stateOf } from '#src/corpus/feed/change.ts'
import { sourceKey } from '#src/document/ids.ts'
import type { Documents } from '#src/ports/output-store.ts'
import { bodyDigest, type Candidate } from './search-index.ts'

/** A chunk of the index; its body was read from the store and compared. */
export interface ProvenChunk extends Pick<
  ChunkLine,
  | 'id'
  | 'document'
  | 'address'
  | 'kind'
  | 'index'
  | 'tokens'
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
  /** Title that the document states itself; null without one. `title` is its first heading. */
  readonly documentTitle: string | null
}

interface StoredText extends Pick<ProvenChunk, 'documentTitle' | 'address'> {
  readonly state: string | null
  readonly markdown: string | null
}

/** Texts of a store, each read once. */
export class StoredTexts {
  readonly #documents: Pick<Documents, 'read' | 'readOutput'>
  readonly #texts = new Map<string, Promise<StoredText>>()

  constructor(documents: Pick<Documents, 'read' | 'readOutput'>) {
    this.#documents = documents
  }

  /** The promise is handled by a later call. */
  of(key: string): Promise<StoredText> {
    const text = this.#texts.get(key) ?? this.#read(key)
    this.#texts.set(key, text)
    return text
  }

  /** Null for a chunk that differs from its document. */
  async prove(candidate: Candidate): Promise<ProvenChunk | null> {
    const {
      state: indexed,
      digest,
      score: _score,
      goneAt: _gone,
      contentHash: _hash,
      source: _source,
      ...rest
    } = candidate
    const { oversize: _oversize, parser: _parser, ...facts } = rest
    const { state, markdown, documentTitle, address } = await this.of(candidate.document)
    const body = markdown?.slice(...candidate.markdownSpan) ?? null
    if (body === null || state !== indexed || bodyDigest(body) !== digest) return null
    return { ...facts, documentTitle, address, body }
  }

  async #read(key: string): Promise<StoredText> {
    const record = await this.#documents.read(sourceKey(key))
    if (record === null) return { state: null, markdown: null, documentTitle: null, address: null }
    const { title = null, address = null } = record.metadata ?? {}
    const markdown = await this.#documents.readOutput(record.key, 'document.md', record)
    const state = stateOf({ record, folder: '' })
    return { state, markdown: markdown?.toString('utf8') ?? null, documentTitle: title, address }
  }
}
