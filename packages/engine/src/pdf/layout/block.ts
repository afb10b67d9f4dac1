import type { TableGrid } from '../tables/grid.ts'
import type { Box } from '../geometry/box.ts'
import type { Word } from '../geometry/words.ts'

/** Words of one printed line in reading order. */
export type Line = readonly Word[]

export type TextKind =
  | 'heading'
  | 'paragraph'
  | 'caption'
  | 'code'
  | 'formula'
  | 'page_header'
  | 'page_footer'
  | 'page_number'

export interface TextBlock {
  readonly kind: TextKind
  readonly box: Box
  readonly lines: readonly Line[]
  /** Of a heading that the file names in its outline: its depth there, from 1. */
  readonly depth?: number
  /** Of a formula: what it says, without the dollar signs. */
  readonly latex?: string
}

export interface ListItem {
  readonly kind: 'list_item'
  readonly box: Box
  /** Without the marker. */
  readonly lines: readonly Line[]
  /** As printed: `•`, `1.`, `a)`. */
  readonly marker: string
  /** 0 for items of the outermost list. */
  readonly depth: number
}

export interface Figure {
  readonly kind: 'figure'
  readonly box: Box
  /** The labels that OCR read in it. */
  readonly lines: readonly Line[]
}

/** What the layout of a page is made of, in reading order. */
export type LayoutBlock = TextBlock | ListItem | TableGrid | Figure

/** The words of a block, wherever it keeps them. */
export function wordsOfBlock(block: LayoutBlock): readonly Word[] {
  if (block.kind === 'table') return block.rows.flat(2)
  return block.lines.flat()
}
