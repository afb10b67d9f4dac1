import type { BlockType } from '@sluice/contract'
import type { Box } from './geometry/box.ts'
import type { PageProblem, PageSignals } from '../grade/signals.ts'

/** Where a page's text comes from, in the contract's words (`blocks[].items[].source`). */
export type TextSource = 'native_text' | 'layout_ocr'

/**
 * `loose`: a blank line. `tight`: the next line, as list items follow each other. `run_on`: a space, and `glued`: nothing,
 * where a paragraph goes on in the next column or on the next page, `glued` in the middle of a word.
 */
export type Spacing = 'loose' | 'tight' | 'run_on' | 'glued'

/** One piece of a page, classified and written as Markdown: what becomes one block of the answer. */
export interface Fragment {
  readonly type: BlockType
  /** What the layout step called it before it became one of the contract's types. */
  readonly label: string
  readonly bbox: Box | null
  /** Empty for what adds nothing to the Markdown, such as a figure or a running header that is left out. */
  readonly markdown: string
  /** What a running header, footer or page number says that is left out of the Markdown; absent for all else. */
  readonly omitted?: string
  /** A note in small print, over which a paragraph may go on. */
  readonly note?: true
  /** What stands between it and the fragment before it. */
  readonly spacing: Spacing
  readonly source: TextSource
  /** Mean OCR confidence, 0 to 1; null for native text. */
  readonly ocrConfidence: number | null
}

/** A physical page as fragments in reading order. */
export interface PageFragments {
  /** 1-based. */
  readonly pageNumber: number
  /** Render size in points; null for a page that could not be read. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly problems: readonly PageProblem[]
  readonly signals: PageSignals
  readonly fragments: readonly Fragment[]
  /** Where the links on the page lead, as often as words carry them. */
  readonly links: readonly string[]
}
