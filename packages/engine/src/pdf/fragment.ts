import type { BlockType } from '@sluice/contract'
import type { Box } from './geometry/box.ts'
import type { PageProblem, PageSignals } from '../grade/signals.ts'

/** Origin of a page's text, in the contract's words (`blocks[].items[].source`). */
export type TextSource = 'native_text' | 'layout_ocr'

/**
 * Separator before a fragment. `loose` is a blank line. `tight` is a line break, as between list items. `run_on` is a
 * space, for a paragraph that continues in the next column or on the next page. `glued` is the empty string, for a
 * break inside a word.
 */
export type Spacing = 'loose' | 'tight' | 'run_on' | 'glued'

/** A classified piece of a page, rendered as Markdown. Each fragment becomes one block of the answer. */
export interface Fragment {
  readonly type: BlockType
  /** Label from the layout step, before the mapping to a type of the contract. */
  readonly label: string
  readonly bbox: Box | null
  /** Empty if the fragment adds no Markdown, such as a figure or an omitted running header. */
  readonly markdown: string
  /** Text of a running header, footer or page number that the Markdown omits. Absent otherwise. */
  readonly omitted?: string
  /** A note in small print. A paragraph may continue after it. */
  readonly note?: true
  /** Separator from the previous fragment. */
  readonly spacing: Spacing
  readonly source: TextSource
  /** Mean OCR confidence, 0 to 1. Null for native text. */
  readonly ocrConfidence: number | null
}

/** A physical page as fragments in reading order. */
export interface PageFragments {
  /** 1-based. */
  readonly pageNumber: number
  /** Render size in points. Null for an unreadable page. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly problems: readonly PageProblem[]
  readonly signals: PageSignals
  readonly fragments: readonly Fragment[]
  /** Link targets on the page, one for each word that carries a link. */
  readonly links: readonly string[]
}
