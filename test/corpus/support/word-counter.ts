import type { TokenCounter } from '#src/corpus/chunks/chunk.ts'

/** Counts words: a tokenizer whose counts a reader can check. */
export const wordCounter: TokenCounter = {
  name: 'words',
  overhead: 0,
  count: (text) => text.match(/\S+/g)?.length ?? 0,
}
