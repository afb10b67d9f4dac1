import { withoutMarks } from '../anchors/marks.ts'
import type { Block, Inline } from './office-document.ts'

const plainText = (inlines: readonly Inline[]): string =>
  inlines
    .map(({ text = '', content = [] }) => text + plainText(content))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

/** True for a block without visible content: an anchor, or the mark of a chapter. */
function isUnseen({ kind, content = [] }: Block): boolean {
  if (kind !== 'paragraph' || content.some((inline) => inline.kind === 'image')) return false
  return withoutMarks(plainText(content)) === ''
}

/**
 * Removes headings of an e-book that repeat the previous one. The library inserts the title of the book, its title page
 * repeats it, and often its first chapter too.
 */
export function withoutRepeatedHeadings(blocks: readonly Block[]): readonly Block[] {
  let above: string | null = null
  return blocks.filter((block) => {
    // Fast path for nearly all blocks of a book, whose text does not matter here.
    if (above === null && block.kind !== 'heading') return true
    if (isUnseen(block)) return true
    const text = block.kind === 'heading' ? plainText(block.content ?? []).toLowerCase() : null
    const isRepeated = text !== null && text !== '' && text === above
    above = text
    return !isRepeated
  })
}
