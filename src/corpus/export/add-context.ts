import type { ContextWriter } from '#src/corpus/context/context-writer.ts'
import { fitted, limitBeside } from '#src/corpus/context/fit.ts'
import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'
import type { ContentHash } from '#src/document/ids.ts'
import type { ChunkLine } from './chunk-line.ts'

/** Contexts that a model writes. */
export interface ContextOptions {
  readonly writer: ContextWriter
  /** Name of the model, for the manifest. */
  readonly model: string
  /** Most tokens of a context, and at most half of the limit. */
  readonly tokens: number
}

/** What a chunk's own context and body may take, where a model's context comes before them. */
export const chunkLimit = (limit: number, context: ContextOptions | null): number =>
  context === null ? limit : limitBeside(limit, context.tokens)

/** Puts what the model wrote before the text of a chunk; body, id and citation stay. */
export async function withContext(
  line: ChunkLine,
  { markdown, contentHash }: { readonly markdown: string; readonly contentHash: ContentHash },
  { writer, tokens: most }: ContextOptions,
  { counter, limit }: { readonly counter: TokenCounter; readonly limit: number },
): Promise<ChunkLine> {
  const { text, tokens, markdownSpan: span } = line
  const answer = await writer.contextOf({ contentHash, markdown, span, text })
  if (answer === null) return line
  const contextTokens = Math.min(most, Math.floor(limit / 2))
  const limits = { counter, limit, contextTokens: contextTokens + counter.overhead }
  return { ...line, ...fitted(answer, text, tokens, limits) }
}
