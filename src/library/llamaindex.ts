import type { OutputStore } from '#src/ports/output-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { nodeMetadata } from '#src/corpus/export/shapes.ts'
import { type ChunkingOptions, openCorpus } from './corpus.ts'

/* `sluice/llamaindex`. LlamaIndex is not a dependency: the caller passes in its `TextNode`. */

/** Argument of LlamaIndex's `new TextNode()`. */
export interface TextNodeInit {
  readonly id_: string
  text: string
  metadata: Record<string, unknown>
  /** Half-open range of UTF-16 units of `document.md`. */
  startCharIdx: number
  endCharIdx: number
  /** The text contains its headings, so LlamaIndex must not prepend the metadata for embeddings and models. */
  excludedEmbedMetadataKeys: string[]
  excludedLlmMetadataKeys: string[]
}

export function toTextNode(chunk: ChunkLine): TextNodeInit {
  const { metadata, keptFromEmbedding, keptFromModel } = nodeMetadata(chunk)
  const [startCharIdx, endCharIdx] = chunk.markdownSpan
  return {
    id_: chunk.id,
    text: chunk.text,
    metadata,
    startCharIdx,
    endCharIdx,
    excludedEmbedMetadataKeys: keptFromEmbedding,
    excludedLlmMetadataKeys: keptFromModel,
  }
}

/** Streams the chunks of a store as nodes of the given class: `textNodes('corpus', TextNode)`. */
export async function* textNodes<Node extends object>(
  out: string | OutputStore,
  TextNode: new (init: TextNodeInit) => Node,
  options: ChunkingOptions = {},
): AsyncGenerator<Node> {
  await using corpus = await openCorpus(out)
  for await (const chunk of corpus.chunks(options)) {
    const init = toTextNode(chunk)
    const node = new TextNode(init)
    // The constructor of LlamaIndex drops a start of 0.
    Object.assign(node, { startCharIdx: init.startCharIdx })
    yield node
  }
}
