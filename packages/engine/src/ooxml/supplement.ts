import type { Placeholders } from './placeholders.ts'

/** What is added to the office library's reading of a document. */
export interface Supplement {
  /** The document for the library, with tokens where it would drop something. */
  readonly bytes: Buffer
  readonly placeholders: Placeholders
  /** Markdown after that of the document. */
  readonly after: readonly string[]
  /** Paragraphs of running headers and footers, each once; not part of the main content. */
  readonly headers: readonly string[]
  readonly footers: readonly string[]
  /** What was left out, each as a noun phrase: `3 MathType objects`. */
  readonly leftOut: readonly string[]
}
