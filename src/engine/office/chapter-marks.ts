import { markText } from '../anchors/marks.ts'
import type { Block } from './office-document.ts'

/** The library begins each file of an e-book with a paragraph of nothing but an anchor that is named as the file. */
function isStartOfFile({ kind, content = [] }: Block): boolean {
  const [first, ...others] = content
  return kind === 'paragraph' && others.length === 0 && first?.anchor !== undefined && !first.anchor.includes('#')
}

/** The blocks of an e-book with a mark where each of its files begins, numbered in reading order. */
export function withChapterMarks(blocks: readonly Block[]): readonly Block[] {
  let number = 0
  return blocks.map((block) => {
    if (!isStartOfFile(block)) return block
    number += 1
    return { kind: 'paragraph', content: [{ kind: 'text', text: markText(number) }] }
  })
}
