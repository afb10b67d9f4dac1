import { withoutMarks } from '../anchors/marks.ts'
import type { Block, Inline } from './office-document.ts'

const plainText = (inlines: readonly Inline[]): string =>
  inlines
    .map(({ text = '', content = [] }) => text + plainText(content))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

/** Whether a block shows nothing: an anchor, or the mark of a chapter. */
function isUnseen({ kind, content = [] }: Block): boolean {
  if (kind !== 'paragraph' || content.some((inline) => inline.kind === 'image')) return false
  return withoutMarks(plainText(content)) === ''
}

/**
 * The blocks of an e-book without headings that repeat the one right above: the library begins with the title of the book, its
 * title page has it again, and often its first chapter.
 */
export function withoutRepeatedHeadings(blocks: readonly Block[]): readonly Block[] {
  let above: string | null = null
  return blocks.filter((block) => {
    // Nearly all blocks of a book: their text is of no use here.
    if (above === null && block.kind !== 'heading') return true
    if (isUnseen(block)) return true
    const text = block.kind === 'heading' ? plainText(block.content ?? []).toLowerCase() : null
    const isRepeated = text !== null && text !== '' && text === above
    above = text
    return !isRepeated
  })
}
