/* Public interface of the package `sluice` (docs/reference/library.md). The command line uses the same parts. */

export { chunkDocument, chunksOf } from '#src/corpus/chunks/chunk-document.ts'
export type {
  Chunk,
  ChunkableDocument,
  ChunkedDocument,
  ChunkOptions,
  LayoutBlock,
  TokenCounter,
} from '#src/corpus/chunks/chunk.ts'
export type { ChunkLine } from '#src/corpus/export/chunk-line.ts'
export type { CitationCheck, Quotation } from '#src/corpus/search/cite.ts'
export type { SearchAnswer, SearchHit } from '#src/corpus/search/search-store.ts'
export type { DocumentState, FeedEntry } from '#src/corpus/feed/change.ts'
export { openCounter } from '#src/corpus/tokens/open-counter.ts'
export { contentHash, sourceKey, version } from '#src/document/ids.ts'
export type { DocumentRecord } from '#src/document/record.ts'
export { SetupError } from '#src/document/setup-error.ts'
export type { Verdict } from '#src/document/verdict.ts'
export type { OpenedDocument, Source } from '#src/ports/source.ts'
export type { OutputStore } from '#src/ports/output-store.ts'
export type { Parser, ParseRequest } from '#src/ports/parser.ts'
export type { SourceItem } from '#src/document/source-item.ts'
export {
  type ChunkingOptions,
  type Corpus,
  type CorpusDocument,
  type DocumentFilter,
  type FigureSelection,
  openCorpus,
  type SearchSelection,
} from './corpus.ts'
export type { FigureTally } from '#src/corpus/figures/figure.ts'
export type { CorpusFigure } from './figures.ts'
export { parsedAnswer } from './parsed-answer.ts'
export { run, type RunOptions, type RunResult, type SettingValues, type SettledDocument } from './run.ts'
export { type Citation, viewLink } from '#src/corpus/search/view-link.ts'
