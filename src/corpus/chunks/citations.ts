import { type Anchor, anchorOfLines } from '@sluice/contract'
import type { ChunkableDocument, LayoutBlock, PageBox, Span } from './chunk.ts'

/** Position of a body in the original. */
export interface Citation {
  readonly pages: readonly number[]
  readonly boxes: readonly PageBox[]
  readonly blocks: readonly string[]
  readonly anchors: readonly Anchor[]
}

/** Lookup of the pages, boxes, blocks and anchors of each span of a document. */
export class Citations {
  readonly #blocks: readonly LayoutBlock[]
  /** Running maximum of block ends: blocks may overlap. */
  readonly #ends: readonly number[]
  readonly #anchors: BlockAnchors
  readonly #pages: readonly { readonly page: number; readonly span: Span }[]

  constructor(document: ChunkableDocument) {
    const blocks = document.blocks.filter(({ span }) => span[1] > span[0])
    this.#blocks = blocks.toSorted((one, other) => one.span[0] - other.span[0])
    let last = 0
    this.#ends = this.#blocks.map(({ span }) => (last = Math.max(last, span[1])))
    this.#anchors = new BlockAnchors(document.markdown)
    this.#pages = blocks.length > 0 ? [] : pageSpans(document)
  }

  of(span: Span): Citation {
    if (this.#blocks.length === 0) {
      const pages = this.#pages.filter((page) => touches(page.span, span)).map(({ page }) => page)
      return { pages: ascending(pages), boxes: [], blocks: [], anchors: [] }
    }
    const blocks = this.#touching(span)
    const pages = ascending(blocks.flatMap(({ page }) => (page === null ? [] : [page])))
    const boxes = pages.flatMap((page) => unionOf(page, blocks))
    return { pages, boxes, blocks: blocks.map(({ id }) => id), anchors: this.#anchors.of(span, blocks) }
  }

  #touching(span: Span): readonly LayoutBlock[] {
    let [low, high] = [0, this.#blocks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ends[middle] as number) <= span[0]) low = middle + 1
      else high = middle
    }
    const found: LayoutBlock[] = []
    for (let at = low; at < this.#blocks.length; at++) {
      const block = this.#blocks[at] as LayoutBlock
      if (block.span[0] >= span[1]) break
      if (touches(block.span, span)) found.push(block)
    }
    return found
  }
}

const touches = (one: Span, other: Span): boolean => one[0] < other[1] && other[0] < one[1]

const ascending = (pages: readonly number[]): readonly number[] => [...new Set(pages)].toSorted((a, b) => a - b)

function unionOf(page: number, blocks: readonly LayoutBlock[]): readonly PageBox[] {
  const boxes = blocks.flatMap((block) => (block.page === page && block.bbox !== null ? [block.bbox] : []))
  const [first, ...others] = boxes
  if (first === undefined) return []
  let [x0, y0, x1, y1] = first
  for (const box of others) {
    ;[x0, y0, x1, y1] = [Math.min(x0, box[0]), Math.min(y0, box[1]), Math.max(x1, box[2]), Math.max(y1, box[3])]
  }
  return [{ page, bbox: [x0, y0, x1, y1] }]
}

/** Finds the span of each page's Markdown in the document's, by a search in order; an unmatched page has no span. */
export function pageSpans({ markdown, pages }: ChunkableDocument): { readonly page: number; readonly span: Span }[] {
  let from = 0
  return pages.flatMap(({ page, markdown: text }) => {
    const trimmed = text.trim()
    const at = trimmed === '' ? -1 : markdown.indexOf(trimmed, from)
    if (at === -1) return []
    from = at + trimmed.length
    return [{ page, span: [at, from] as const }]
  })
}

/**
 * Lookup of positions of bodies in a document without pages: slides, cells of sheets, chapters or sections. Callers ask
 * in document order, so each line of a long table is counted once.
 */
export class BlockAnchors {
  readonly #markdown: string
  #block: LayoutBlock | null = null
  /** An offset in `#block`, and the number of its lines that end before it. */
  #at = 0
  #line = 0

  constructor(markdown: string) {
    this.#markdown = markdown
  }

  /**
   * Anchors of a body from the blocks that it overlaps, without duplicates; the range of a table covers the rows in the
   * body.
   */
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

  /** Line index from the start of the block, from 0. */
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

/** True if a sheet's name is redundant next to cells of the sheet. */
function isNamedByCells(anchor: Anchor, anchors: readonly Anchor[]): boolean {
  if (!('range' in anchor) || anchor.range !== null) return false
  return anchors.some((other) => 'range' in other && other.range !== null && other.sheet === anchor.sheet)
}
