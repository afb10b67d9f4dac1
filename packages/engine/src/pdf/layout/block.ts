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
  /** Depth of a heading in the file's outline, from 1. */
  readonly depth?: number
  /** LaTeX of a formula, without the dollar signs. */
  readonly latex?: string
}

export interface ListItem {
  readonly kind: 'list_item'
  readonly box: Box
  /** Without the marker. */
  readonly lines: readonly Line[]
  /** Marker in print: `•`, `1.`, `a)`. */
  readonly marker: string
  /** 0 for items of the outermost list. */
  readonly depth: number
}

export interface Figure {
  readonly kind: 'figure'
  readonly box: Box
  /** Labels that OCR read in it. */
  readonly lines: readonly Line[]
}

/** Layout block of a page. Blocks are in reading order. */
export type LayoutBlock = TextBlock | ListItem | TableGrid | Figure

/** Returns the words of a block of any kind. */
export function wordsOfBlock(block: LayoutBlock): readonly Word[] {
  if (block.kind === 'table') return block.rows.flat(2)
  return block.lines.flat()
}
