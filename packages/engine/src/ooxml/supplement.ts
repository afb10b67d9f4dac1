import type { Placeholders } from './placeholders.ts'

/** Additions to the office library's output for a document. */
export interface Supplement {
  /** The document for the library, with tokens for constructs that it would drop. */
  readonly bytes: Buffer
  readonly placeholders: Placeholders
  /** Markdown to append to that of the document. */
  readonly after: readonly string[]
  /** Paragraphs of running headers and footers without duplicates. They are not part of the main content. */
  readonly headers: readonly string[]
  readonly footers: readonly string[]
  /** Omissions, each as a noun phrase: `3 MathType objects`. */
  readonly leftOut: readonly string[]
}
