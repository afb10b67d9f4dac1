import { type Anchor, anchorOfLines } from '#src/document/anchor.ts'
import type { LayoutBlock, Span } from './chunk.ts'

/**
 * Finds where bodies stand in a document without pages: slides, cells of sheets, chapters or sections. Bodies are asked about in the
 * order of the document, so that each line of a long table is counted once.
 */
export class BlockAnchors {
  readonly #markdown: string
  #block: LayoutBlock | null = null
  /** An offset in `#block`, and how many of its lines end before it. */
  #at = 0
  #line = 0

  constructor(markdown: string) {
    this.#markdown = markdown
  }

  /** Of a body and the blocks that it touches, each anchor once; the range of a table is that of the rows in the body. */
  of([start, end]: Span, blocks: readonly LayoutBlock[]): readonly Anchor[] {
    const found = new Map<string, Anchor>()
    for (const block of blocks) {
      if (block.anchor === undefined) continue
      const anchor = this.#narrowed(block, block.anchor, [Math.max(start, block.span[0]), Math.min(end, block.span[1])])
      found.set(JSON.stringify(anchor), anchor)
    }
    const anchors = [...found.values()]
    return anchors.filter((anchor) => !isNamedByCells(anchor, anchors))
  }

  #narrowed(block: LayoutBlock, anchor: Anchor, [start, end]: Span): Anchor {
    if (!('range' in anchor) || anchor.range === null) return anchor
    const lines = [this.#lineAt(block, start), this.#lineAt(block, end - 1) + 1] as const
    return anchorOfLines(anchor, this.#markdown.slice(...block.span), lines)
  }

  /** Counted from 0 at the start of the block. */
  #lineAt(block: LayoutBlock, offset: number): number {
    if (this.#block !== block || offset < this.#at) {
      this.#block = block
      this.#at = block.span[0]
      this.#line = 0
    }
    for (let next = this.#markdown.indexOf('\n', this.#at); next !== -1 && next < offset;) {
      this.#line += 1
      this.#at = next + 1
      next = this.#markdown.indexOf('\n', this.#at)
    }
    return this.#line
  }
}

/** A sheet's name alone says nothing beside cells of the sheet. */
function isNamedByCells(anchor: Anchor, anchors: readonly Anchor[]): boolean {
  if (!('range' in anchor) || anchor.range !== null) return false
  return anchors.some((other) => 'range' in other && other.range !== null && other.sheet === anchor.sheet)
}
