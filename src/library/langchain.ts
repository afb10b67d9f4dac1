import type { OutputStore } from '#src/ports/output-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { chunkMetadata } from '#src/corpus/export/shapes.ts'
import { type ChunkingOptions, openCorpus } from './corpus.ts'

/*
 * `sluice/langchain`. LangChain is no dependency: its `DocumentInterface` is a shape, and vector stores and retrievers take
 * objects of it.
 */

/** `DocumentInterface` of @langchain/core, and what `new Document()` takes. */
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

/** As LangChain's `BaseDocumentLoader`: the chunks of a store as documents. */
export class SluiceLoader {
  readonly #out: string | OutputStore
  readonly #options: ChunkingOptions

  /** `out`: folder, `s3://bucket/prefix`, or a store of your own. */
  constructor(out: string | OutputStore, options: ChunkingOptions = {}) {
    this.#out = out
    this.#options = options
  }

  async load(): Promise<LangChainDocument[]> {
    const documents: LangChainDocument[] = []
    for await (const document of this.lazyLoad()) documents.push(document)
    return documents
  }

  /** One after the other: a large store's are never in memory together. */
  async *lazyLoad(): AsyncGenerator<LangChainDocument> {
    await using corpus = await openCorpus(this.#out)
    for await (const chunk of corpus.chunks(this.#options)) yield toDocument(chunk)
  }
}
