import type { Anchor } from '@sluice/contract'

/** Half-open range of UTF-16 units of `document.md`. */
export type Span = readonly [start: number, end: number]

/** Smallest and largest token limit of a chunk. */
export const MIN_LIMIT = 64
export const MAX_LIMIT = 8192

/** Counts tokens as the model that reads the chunks does. */
export interface TokenCounter {
  /** Name of the encoding, or of the tokenizer file. */
  readonly name: string
  /** Exact, with the special tokens that the model adds. */
  count(text: string): number
  /** Tokens of the empty text: what the model adds to every text. */
  readonly overhead: number
  /**
   * How the tokenizer divides a text into words before it makes tokens of them: then each character of a document is counted
   * once. Absent where that is not known: then pieces are counted by themselves and chunks as a whole.
   */
  readonly words?: TokenWords | null
}

/**
 * The first step of a tokenizer: a text is divided into words from left to right, and no token crosses the end of one.
 *
 * - Where a word ends depends on the text from its start on alone, not on what stands before.
 * - Where a text is cut behind a character that is no white space, the words that end there or before are the same.
 */
export interface TokenWords {
  /** Whether a document is divided so; else its chunks are counted as a whole. */
  suits(document: string): boolean
  /** End of the word that begins at an offset before the end of the text. */
  endOf(text: string, at: number): number
  /** Tokens of one word, without those that the model adds to every text. */
  count(word: string): number
}

export interface ChunkOptions {
  readonly counter: TokenCounter
  /** Most tokens of context and body together. */
  readonly limit: number
  /** Most tokens of the previous body that are repeated as context; 0 for none. */
  readonly overlap: number
  /** Whether a page that fits is one chunk, and no chunk holds blocks of two pages; default: no. */
  readonly pages?: boolean
}

/** A layout block, as far as chunks need it. */
export interface LayoutBlock {
  readonly id: string
  readonly type: string
  /** Null in a document without pages. */
  readonly page: number | null
  readonly bbox: readonly [number, number, number, number] | null
  readonly span: Span
  /** Where it stands in a document without pages; absent where the parser does not return it. */
  readonly anchor?: Anchor
}

export interface ChunkableDocument {
  readonly markdown: string
  /** In any order; empty where the parser gave none. */
  readonly blocks: readonly LayoutBlock[]
  /** Markdown of each page, where the parser gave it: its pages are cited where there are no blocks. */
  readonly pages: readonly { readonly page: number; readonly markdown: string }[]
}

/** The union of the boxes of a page's blocks that the body touches: [x0, y0, x1, y1], 0 to 1. */
export interface PageBox {
  readonly page: number
  readonly bbox: readonly [number, number, number, number]
}

/** The rows of a table that stand whole in a chunk. */
export interface TableRows {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Number of the first row in its table, counted from 1 below the header. */
  readonly firstRow: number
}

export interface ChunkContext {
  /** First heading of level 1 of the document; null where it has none. */
  readonly title: string | null
  /** Headings that the body stands under, outermost first, without those in the body itself. */
  readonly headings: readonly string[]
  readonly caption: string | null
}

export interface Chunk extends ChunkContext {
  /**
   * `figure` where the layout says so, `table` for a table or some of its rows with the headings right above it, `page` for a whole
   * page where chunks are pages.
   */
  readonly kind: 'text' | 'table' | 'figure' | 'page'
  /** What a model reads: context and body. */
  readonly text: string
  /** `document.md` between `span`. */
  readonly body: string
  readonly span: Span
  /** Exact count of `text`. */
  readonly tokens: number
  /** Part of a row, a code line or a word that exceeds the limit by itself. */
  readonly oversize: boolean
  /** Physical pages, ascending; empty where the parser returned none. */
  readonly pages: readonly number[]
  readonly boxes: readonly PageBox[]
  /** Ids of the blocks that the body touches, in the order of the document. */
  readonly blocks: readonly string[]
  /** Slides, cells, chapters or sections that the body touches, in the order of the document; empty where the parser returned none. */
  readonly anchors: readonly Anchor[]
  /** Null for what is no table, and where a row is cut. */
  readonly table: TableRows | null
}

/** What of `document.md` is in no body. */
export interface Exclusion {
  /** `quote_mark`: `>` of a blank line inside of a quote, between two of its blocks. */
  readonly reason: 'whitespace' | 'page_marker' | 'quote_mark'
  readonly span: Span
}

export interface ChunkedDocument {
  /** In the order of the document; their bodies and `exclusions` partition `document.md`. */
  readonly chunks: readonly Chunk[]
  readonly exclusions: readonly Exclusion[]
}
