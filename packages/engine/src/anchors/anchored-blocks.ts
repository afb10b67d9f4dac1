import type { AnchoredBlock, Anchor } from '@sluice/contract'
import type { Mark } from './marks.ts'
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts'

/** Threshold in UTF-16 units. Longer documents have no blocks, because their list would be as large as the document. */
const MAX_CHARACTERS = 8_000_000

const TYPES = { heading: 'section_header', table: 'table', figure: 'figure', formula: 'formula', text: 'text' } as const

/**
 * Returns the blocks of a document without pages, each with its anchor. Null if there are none or the document is too
 * long.
 */
export function anchoredBlocks(markdown: string, marks: readonly Mark[]): readonly AnchoredBlock[] | null {
  if (markdown.length > MAX_CHARACTERS) return null
  const anchors = new Anchors(markdown, marks)
  const blocks: AnchoredBlock[] = []
  let hasTitle = false
  for (const block of markdownBlocks(markdown)) {
    const isTitle: boolean = !hasTitle && block.level === 1
    hasTitle ||= isTitle
    for (const { span, anchor } of anchors.partsOf(block)) {
      const type = isTitle ? 'title' : TYPES[block.kind]
      blocks.push({ id: `b${blocks.length}`, type, markdownSpan: span, anchor })
    }
  }
  return blocks.length === 0 ? null : blocks
}

interface Part {
  readonly span: readonly [start: number, end: number]
  readonly anchor: Anchor
}

const BEFORE_CHAPTERS: Anchor = { chapter: 0, title: null }
const BEFORE_SECTIONS: Anchor = { section: 0, title: null }

/** Assigns an anchor to each block. Callers ask in document order. */
class Anchors {
  readonly #markdown: string
  readonly #marks: readonly Mark[]
  #next = 0
  #anchor: Anchor

  constructor(markdown: string, marks: readonly Mark[]) {
    this.#markdown = markdown
    this.#marks = marks
    const [first] = marks
    this.#anchor = first !== undefined && 'chapter' in first.anchor ? BEFORE_CHAPTERS : BEFORE_SECTIONS
  }

  /** Splits a block at a mark inside it, such as a mark between table rows that empty sheet rows separate. */
  partsOf(block: MarkdownBlock): readonly Part[] {
    if (block.level > 0) this.#enterHeading(block)
    const parts: Part[] = []
    let { start } = block
    for (
      let mark = this.#marks[this.#next];
      mark !== undefined && mark.at < block.end;
      mark = this.#marks[this.#next]
    ) {
      if (mark.at > start) {
        parts.push({ span: [start, this.#endOfLine(start, mark.at)], anchor: this.#anchor })
        start = mark.at
      }
      this.#anchor = this.#titled(mark.anchor, block)
      this.#next += 1
    }
    return [...parts, { span: [start, block.end], anchor: this.#anchor }]
  }

  /** Headings number the sections. The first heading of a chapter is its title. */
  #enterHeading(block: MarkdownBlock): void {
    if ('section' in this.#anchor) this.#anchor = { section: this.#anchor.section + 1, title: this.#textOf(block) }
    else this.#anchor = this.#titled(this.#anchor, block)
  }

  #titled(anchor: Anchor, block: MarkdownBlock): Anchor {
    if (!('chapter' in anchor) || anchor.title !== null || block.level === 0) return anchor
    return { ...anchor, title: this.#textOf(block) }
  }

  #textOf({ start, end, level }: MarkdownBlock): string {
    return this.#markdown.slice(start + level, end).trim()
  }

  /** Returns the end of the text before an offset, without the line break. */
  #endOfLine(start: number, at: number): number {
    let end = at
    while (end > start && this.#markdown[end - 1] === '\n') end -= 1
    return end
  }
}
