import type { LayoutBlock, ListItem, TextBlock } from './block.ts'
import { wordsOfBlock } from './block.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/** Threshold: ratio of glyph size. Notes are at most this large relative to the text. */
const SMALL = 0.93
/** Note mark: a number, a letter with a bracket, or a sign. */
const MARK = /^(?:\d{1,3}|\(?(?:\d{1,3}|[a-z])\)|[*†‡§¶]{1,4})(?=\s|\p{L})/u

/** True if a block of small print starts with a note mark. Recognised sizes scatter too much for this check. */
export function isNote(block: LayoutBlock, bodySize: number): boolean {
  if (block.kind !== 'paragraph' && block.kind !== 'list_item') return false
  const [first = []] = block.lines
  const words = block.lines.flat()
  const begins = block.kind === 'list_item' ? `${block.marker} ` : lineText(first)
  return MARK.test(begins) && sizeOf(words) <= SMALL * bodySize && words.every(({ confidence }) => confidence === null)
}

/** Turns a star item directly below a table with stars into a note, unless another item is adjacent. */
export function withStarredNotes(blocks: readonly LayoutBlock[]): LayoutBlock[] {
  const isStarred = (block: LayoutBlock | undefined): boolean => block?.kind === 'list_item' && block.marker === '*'
  return blocks.map((block, index) => {
    const [before, next] = [blocks[index - 1], blocks[index + 1]]
    if (block.kind !== 'list_item' || !isStarred(block) || isStarred(before) || isStarred(next)) return block
    const calls = before?.kind === 'table' && wordsOfBlock(before).some(({ text }) => /\S\*$/.test(text))
    return calls ? withItsMark(block) : block
  })
}

function withItsMark({ box, lines, marker }: ListItem): TextBlock {
  const [first = [], ...others] = lines
  const [word] = first
  return {
    kind: 'paragraph',
    box,
    lines: [word === undefined ? first : [{ ...word, text: marker }, ...first], ...others],
  }
}
