import type { Anchor } from '@sluice/contract'

/** Half-open range of UTF-16 units of `document.md`. */
export type Span = readonly [start: number, end: number]

/** Minimum and maximum token limit of a chunk. */
export const MIN_LIMIT = 64
export const MAX_LIMIT = 8192

/** Counts tokens with the tokenizer of the model that reads the chunks. */
export interface TokenCounter {
  /** Name of the encoding, or of the tokenizer file. */
  readonly name: string
  /** Exact, with the special tokens that the model adds. */
  count(text: string): number
  /** Tokens of the empty text: the special tokens that the model adds to every text. */
  readonly overhead: number
  /**
   * Pre-tokenization of the tokenizer into words, with which each character of a document is counted once. Absent if
   * unknown: the code then counts pieces alone and chunks as a unit.
   */
  readonly words?: TokenWords | null
}

/**
 * First step of a tokenizer: it divides a text into words from left to right, and no token crosses the end of a word.
 *
 * - The end of a word depends on the text from its start on alone, not on earlier text.
 * - A cut after a character other than white space does not change the words that end there or before.
 */
export interface TokenWords {
  /** True if a document can be divided like this; else its chunks are counted as a unit. */
  suits(document: string): boolean
  /** End of the word that starts at an offset before the end of the text. */
  endOf(text: string, at: number): number
  /** Tokens of one word, without special tokens. */
  count(word: string): number
}

export interface ChunkOptions {
  readonly counter: TokenCounter
  /** Maximum number of tokens of context and body together. */
  readonly limit: number
  /** Maximum number of tokens of the previous body to repeat as context; 0 for none. */
  readonly overlap: number
  /** True makes a page that fits one chunk, and keeps blocks of two pages in separate chunks; default: false. */
  readonly pages?: boolean
}

/** Fields of a layout block that chunks need. */
export interface LayoutBlock {
  readonly id: string
  readonly type: string
  /** Null in a document without pages. */
  readonly page: number | null
  readonly bbox: readonly [number, number, number, number] | null
  readonly span: Span
  /** Its position in a document without pages; absent if the parser does not return it. */
  readonly anchor?: Anchor
}

export interface ChunkableDocument {
  readonly markdown: string
  /** In any order; empty if the parser returned none. */
  readonly blocks: readonly LayoutBlock[]
  /** Markdown of each page, if the parser returned it: the fallback for citing pages without blocks. */
  readonly pages: readonly { readonly page: number; readonly markdown: string }[]
  /** A heading of level 1 that repeats this name is no title and no heading; default: unknown. */
  readonly fileName?: string
}

/** Union of the boxes of a page's blocks that the body overlaps: [x0, y0, x1, y1], 0 to 1. */
export interface PageBox {
  readonly page: number
  readonly bbox: readonly [number, number, number, number]
}

/** Rows of a table that are complete in a chunk. */
export interface TableRows {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Number of the first row in its table, counted from 1 below the header. */
  readonly firstRow: number
}

export interface ChunkContext {
  /** First heading of level 1 of the document other than its file name; null without one. */
  readonly title: string | null
  /** Headings above the body, outermost first, without those in the body itself. */
  readonly headings: readonly string[]
  readonly caption: string | null
}

export interface Chunk extends ChunkContext {
  /**
   * `figure`: by the layout. `table`: a table or some of its rows, with the headings right above it. `page`: a complete
   * page, if chunks are pages.
   */
  readonly kind: 'text' | 'table' | 'figure' | 'page'
  /** Input of a model: context and body. */
  readonly text: string
  /** `document.md` between `span`. */
  readonly body: string
  readonly span: Span
  /** Exact count of `text`. */
  readonly tokens: number
  /** Part of a single row, code line or word over the limit. */
  readonly oversize: boolean
  /** Physical pages, ascending; empty if the parser returned none. */
  readonly pages: readonly number[]
  readonly boxes: readonly PageBox[]
  /** Ids of the blocks that the body overlaps, in document order. */
  readonly blocks: readonly string[]
  /**
   * Slides, cells, chapters or sections that the body overlaps, in document order; empty if the parser returned none.
   */
  readonly anchors: readonly Anchor[]
  /** Null for anything but a table, and if a row is cut. */
  readonly table: TableRows | null
}

/** Part of `document.md` outside of all bodies. */
export interface Exclusion {
  /** `quote_mark`: `>` of a blank line in a quote, between two of its blocks. */
  readonly reason: 'whitespace' | 'page_marker' | 'quote_mark'
  readonly span: Span
}

export interface ChunkedDocument {
  /** In document order; their bodies and `exclusions` partition `document.md`. */
  readonly chunks: readonly Chunk[]
  readonly exclusions: readonly Exclusion[]
}
