import type { OutputStore } from '#src/ports/output-store.ts'
import type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
import { nodeMetadata } from '#src/corpus/export/shapes.ts'
import { type ChunkingOptions, openCorpus } from './corpus.ts'

/*
 * `sluice/llamaindex`. LlamaIndex is no dependency: its `TextNode` is passed in by the caller.
 */

/** What LlamaIndex's `new TextNode()` takes. */
export interface TextNodeInit {
  readonly id_: string
  text: string
  metadata: Record<string, unknown>
  /** Half-open range of UTF-16 units of `document.md`. */
  startCharIdx: number
  endCharIdx: number
  /** The text has its headings already: metadata is not repeated before it for embeddings and models. */
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

/** The chunks of a store as nodes of the class that is given: `textNodes('corpus', TextNode)`. */
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
