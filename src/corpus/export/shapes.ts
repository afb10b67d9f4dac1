import type { ChunkLine } from './chunk-line.ts'

/** Metadata of a chunk without its texts, for documents of other programs. By convention `source` is the document. */
export function chunkMetadata(chunk: ChunkLine): Record<string, unknown> {
  const { id: _id, text: _text, body: _body, context: _context, table: _table, source: sourceAddress, ...facts } = chunk
  return { ...facts, source: chunk.document, sourceAddress }
}

/**
 * Metadata of a LlamaIndex node, and the keys that it does not repeat before the text. Embeddings exclude all, since
 * the text has its headings already; a model gets the name and the pages only.
 */
export function nodeMetadata(chunk: ChunkLine): {
  readonly metadata: Record<string, unknown>
  readonly keptFromEmbedding: string[]
  readonly keptFromModel: string[]
} {
  const metadata = { file_name: chunk.document, ...chunkMetadata(chunk) }
  const keys = Object.keys(metadata)
  const keptFromModel = keys.filter((key) => key !== 'file_name' && key !== 'pages')
  return { metadata, keptFromEmbedding: keys, keptFromModel }
}

/** LangChain for Python: `Document(**line)`. */
export const langChainLine = (chunk: ChunkLine): object => ({
  id: chunk.id,
  page_content: chunk.text,
  metadata: chunkMetadata(chunk),
  type: 'Document',
})

/** Keys of LlamaIndex: a node's relationship to its document, and the type of a document. */
const SOURCE = '1'
const DOCUMENT = '4'

/** LlamaIndex for Python: `TextNode.from_dict(line)`. */
export function llamaIndexLine(chunk: ChunkLine): object {
  const { metadata, keptFromEmbedding, keptFromModel } = nodeMetadata(chunk)
  const [start, end] = chunk.markdownSpan
  return {
    id_: chunk.id,
    text: chunk.text,
    metadata,
    excluded_embed_metadata_keys: keptFromEmbedding,
    excluded_llm_metadata_keys: keptFromModel,
    relationships: {
      [SOURCE]: {
        node_id: chunk.document,
        node_type: DOCUMENT,
        metadata: {},
        hash: chunk.contentHash,
        class_name: 'RelatedNodeInfo',
      },
    },
    mimetype: 'text/markdown',
    start_char_idx: start,
    end_char_idx: end,
    class_name: 'TextNode',
  }
}
