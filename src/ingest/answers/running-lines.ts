import type { Block, BlockPage } from '#src/contract/response.ts'
import { type Edit, edited, type PageSegment } from './page-segments.ts'

/*
 * Running headers, footers and page numbers show only beside other pages. A bought page is read without them, so that
 * its running lines come back as text: they are recognised by those of the document as the engine read it.
 */

const RUNNING: ReadonlySet<string> = new Set(['page_header', 'page_footer', 'page_number'])

/** Share of the page's height at each edge in which running lines stand. */
const BAND = 0.12

export interface RunningLines {
  /** Text of a line, its numbers left out → what it is. */
  readonly kinds: ReadonlyMap<string, string>
  /** Whether the document's Markdown leaves them out. */
  readonly areLeftOut: boolean
}

const keyOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\d+|\b[ivxlc]+\b/g, '#')
    .replaceAll(/[\s*_#]*#[\s*_#]*/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The lines that at least two pages of the document have. */
export function runningLinesOf(pages: readonly BlockPage[]): RunningLines {
  const seen = new Map<string, { kind: string; pages: number }>()
  let inMarkdown = 0
  for (const { items } of pages) {
    const keys = new Map<string, string>()
    for (const { type, content, markdownSpan } of items) {
      if (!RUNNING.has(type)) continue
      keys.set(keyOf(content), type)
      if (markdownSpan !== null && markdownSpan[0] < markdownSpan[1]) inMarkdown += 1
    }
    for (const [key, kind] of keys) seen.set(key, { kind, pages: (seen.get(key)?.pages ?? 0) + 1 })
  }
  const repeated = [...seen].filter(([, { pages: count }]) => count > 1)
  return { kinds: new Map(repeated.map(([key, { kind }]) => [key, kind])), areLeftOut: inMarkdown === 0 }
}

/** The page with its running lines named as such, and out of its text where the document leaves them out. */
export function withoutRunningLines(segment: PageSegment, { kinds, areLeftOut }: RunningLines): PageSegment {
  if (segment.blocks === null || kinds.size === 0) return segment
  const { items } = segment.blocks
  const found = new Map<string, string>()
  for (const block of items) {
    const kind = kinds.get(keyOf(block.content))
    if (kind !== undefined && isAtEdge(block, items)) found.set(block.id, kind)
  }
  if (found.size === 0 || found.size === items.length) return segment
  const edits = areLeftOut ? items.flatMap((block) => (found.has(block.id) ? removal(block, segment.text) : [])) : []
  const cut = edited(segment, edits)
  const named = cut.blocks?.items.map((block, index): Block => {
    const kind = found.get(block.id)
    if (kind === undefined) return block
    const { content } = items[index] ?? block
    return { ...block, type: kind, ...(areLeftOut ? { content, markdownSpan: null } : {}) }
  })
  return { ...cut, blocks: { ...segment.blocks, items: named ?? [] } }
}

function isAtEdge({ bbox, id }: Block, items: readonly Block[]): boolean {
  if (bbox !== null) return bbox[3] < BAND || bbox[1] > 1 - BAND
  return items[0]?.id === id || items.at(-1)?.id === id
}

/** With the blank line after it, or before it where it is the last. */
function removal({ markdownSpan: span }: Block, text: string): Edit[] {
  if (span === null || span[0] === span[1]) return []
  const after = /^\s*/.exec(text.slice(span[1]))?.[0].length ?? 0
  const end = span[1] + after
  const before = end === text.length ? (/\s*$/.exec(text.slice(0, span[0]))?.[0].length ?? 0) : 0
  return [{ start: span[0] - before, end, text: '' }]
}
