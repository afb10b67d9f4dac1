import type { OutputStore } from '#src/ports/output-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { chunkMetadata } from '#src/corpus/export/shapes.ts'
import { type ChunkingOptions, openCorpus } from './corpus.ts'

/*
 * `sluice/langchain`. LangChain is not a dependency: its `DocumentInterface` is structural, and vector stores and
 * retrievers accept any object of that shape.
 */

/** `DocumentInterface` of @langchain/core, and the argument of `new Document()`. */
export interface LangChainDocument {
  readonly id: string
  pageContent: string
  metadata: Record<string, unknown>
}

export const toDocument = (chunk: ChunkLine): LangChainDocument => ({
  id: chunk.id,
  pageContent: chunk.text,
  metadata: chunkMetadata(chunk),
})

/** Implements LangChain's `BaseDocumentLoader`: loads the chunks of a store as documents. */
export class SluiceLoader {
  readonly #out: string | OutputStore
  readonly #options: ChunkingOptions

  /** `out`: folder, `s3://bucket/prefix`, or a custom store. */
  constructor(out: string | OutputStore, options: ChunkingOptions = {}) {
    this.#out = out
    this.#options = options
  }

  async load(): Promise<LangChainDocument[]> {
    const documents: LangChainDocument[] = []
    for await (const document of this.lazyLoad()) documents.push(document)
    return documents
  }

  /** Streams one document at a time, so a large store never fills the memory. */
  async *lazyLoad(): AsyncGenerator<LangChainDocument> {
    await using corpus = await openCorpus(this.#out)
    for await (const chunk of corpus.chunks(this.#options)) yield toDocument(chunk)
  }
}
