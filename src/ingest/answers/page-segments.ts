import type { AnswerReading } from '#src/client/read-answer.ts'
import type { Block, BlockPage, ParsedPage } from '@sluice/contract'

/** Part of an answer for one page. Its spans are offsets into its own text, in UTF-16 units. */
export interface PageSegment {
  readonly text: string
  /** Null if the answer has no blocks. */
  readonly blocks: BlockPage | null
  /** Same text as in `pages` of the answer. */
  readonly pageMarkdown: string
  /** Separator between it and the last page before it with text; null for the first one, or if unknown. */
  readonly before: { readonly index: number; readonly text: string } | null
}

/** Replaces [start, end) of a segment's text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const GAP = /^\s*(?:---\s*<!-- page \d+ -->\s*)*$/

/** Splits an answer by page: by the spans of its blocks if they cover the Markdown, else by the text of each page. */
export function pageSegments({ data }: AnswerReading): PageSegment[] {
  const markdown = data.markdown ?? ''
  const blocks = new Map((data.blocks ?? []).map((page) => [page.pageNumber, page]))
  const pages = data.pages ?? (blocks.size <= 1 ? [{ pageNumber: 1, markdown }] : [])
  return bySpans(markdown, pages, blocks) ?? pages.map((page) => byText(page, blocks.get(page.pageNumber) ?? null))
}

function bySpans(
  markdown: string,
  pages: readonly ParsedPage[],
  blocks: ReadonlyMap<number, BlockPage>,
): PageSegment[] | null {
  const found: PageSegment[] = []
  let end = 0
  let last = -1
  for (const [index, page] of pages.entries()) {
    const own = blocks.get(page.pageNumber) ?? null
    const spans = (own?.items ?? []).flatMap(({ markdownSpan: span }) => (span && span[0] < span[1] ? [span] : []))
    if (spans.length === 0) {
      if (page.markdown.trim() !== '') return null
      found.push({ text: '', blocks: own, pageMarkdown: page.markdown, before: null })
      continue
    }
    const start = spans.reduce((least, [from]) => Math.min(least, from), Infinity)
    const stop = spans.reduce((most, [, to]) => Math.max(most, to), 0)
    const gap = markdown.slice(end, start)
    if (start < end || !GAP.test(gap)) return null
    const text = markdown.slice(start, stop)
    const before = last === -1 ? null : { index: last, text: gap }
    found.push({ text, blocks: own && shifted(own, -start, text), pageMarkdown: page.markdown, before })
    end = stop
    last = index
  }
  return GAP.test(markdown.slice(end)) ? found : null
}

/** Searches for a block without a span after the previous block. */
function byText({ markdown }: ParsedPage, own: BlockPage | null): PageSegment {
  let from = 0
  const items = own?.items.map((block): Block => {
    const at = block.markdownSpan === null || block.content === '' ? -1 : markdown.indexOf(block.content, from)
    if (at === -1) return { ...block, markdownSpan: null }
    from = at + block.content.length
    return { ...block, markdownSpan: [at, from] }
  })
  return {
    text: markdown,
    blocks: own === null || items === undefined ? null : { ...own, items },
    pageMarkdown: markdown,
    before: null,
  }
}

function shifted(page: BlockPage, by: number, text: string): BlockPage {
  const newOffset = (offset: number): number => Math.min(Math.max(offset + by, 0), text.length)
  const items = page.items.map((block): Block => {
    const { markdownSpan: span } = block
    return span === null ? block : { ...block, markdownSpan: [newOffset(span[0]), newOffset(span[1])] }
  })
  return { ...page, items }
}

/**
 * Applies replacements, which do not overlap, to a segment. It shifts the spans. The content of a block stays the slice
 * of its span.
 */
export function edited(segment: PageSegment, edits: readonly Edit[]): PageSegment {
  if (edits.length === 0) return segment
  const ordered = edits.toSorted((a, b) => a.start - b.start)
  let text = ''
  let at = 0
  for (const edit of ordered) {
    text += segment.text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  text += segment.text.slice(at)
  const newOffset = (offset: number): number =>
    ordered.reduce((moved, edit) => {
      if (edit.end <= offset) return moved + edit.text.length - (edit.end - edit.start)
      return edit.start < offset ? moved - (offset - edit.start) + edit.text.length : moved
    }, offset)
  const items = segment.blocks?.items.map((block): Block => {
    const { markdownSpan: span } = block
    if (span === null) return block
    const moved = [newOffset(span[0]), newOffset(span[1])] as const
    const isSlice = segment.text.slice(...span) === block.content
    return { ...block, markdownSpan: moved, content: isSlice ? text.slice(...moved) : block.content }
  })
  const blocks = segment.blocks === null || items === undefined ? null : { ...segment.blocks, items }
  return { ...segment, text, blocks, pageMarkdown: text }
}
