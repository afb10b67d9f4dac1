import type { LayoutBlock } from './block.ts'
import type { Box } from '../geometry/box.ts'
import { RIGHT_TO_LEFT } from '../geometry/right-to-left.ts'
import type { Ruling, Rulings } from '../geometry/rulings.ts'
import type { Word } from '../geometry/words.ts'

/*
 * Mirrors a page with right-to-left text for its layout. Columns, cells, indents and markers then follow each other as
 * on any other page. `inReadingOrder` later sorts the words of a line, and `withOwnBox` restores the boxes.
 */

/** True if most words are in a right-to-left script. */
export function runsFromRight(words: readonly Word[]): boolean {
  const written = words.filter(({ text }) => /\p{L}/u.test(text))
  return 2 * written.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length > written.length
}

export function mirroredBox({ x0, y0, x1, y1 }: Box, width: number): Box {
  return { x0: width - x1, y0, x1: width - x0, y1 }
}

export function mirroredWord(word: Word, width: number): Word {
  return { ...word, ...mirroredBox(word, width), mirrored: true }
}

export function mirroredRulings({ horizontal, vertical }: Rulings, width: number): Rulings {
  return {
    horizontal: horizontal
      .map(({ at, start, end }): Ruling => ({ at, start: width - end, end: width - start }))
      .sort((a, b) => a.at - b.at || a.start - b.start),
    vertical: vertical.map((ruling): Ruling => ({ ...ruling, at: width - ruling.at })).reverse(),
  }
}

/** Restores the position of a block. Its words remain mirrored, for their order. */
export function withOwnBox(block: LayoutBlock, width: number): LayoutBlock {
  return { ...block, box: mirroredBox(block.box, width) }
}
