import type { Span } from '#src/corpus/chunks/chunk.ts'
import type { Figure } from './figure.ts'

/** Fields of a line of `blocks.jsonl` that figures need. */
export interface BlockLine {
  /** Null in a document that has no pages. */
  readonly pageNumber: number | null
  readonly width?: number | null
  readonly height?: number | null
  readonly type: string
  readonly bbox: Figure['bbox'] | null
  readonly content?: string
  readonly markdownSpan: Span | null
}

export interface FoundFigures<Line> {
  readonly figures: readonly Figure[]
  /** Figures without text that have a caption: for each its line and the caption's span. */
  readonly captioned: readonly { readonly line: Line; readonly span: Span }[]
  /** Number of figures in documents without pages, and of those without a box. */
  readonly unlocated: number
}

/** Maximum gap between a figure and its caption, as a share of the page's height. */
const CAPTION_GAP = 0.08

/** Maximum overlap of a caption with the box of its figure. */
const CAPTION_REACH = 0.02

/**
 * Finds the figures of a document, with the offset of each in `document.md`. The offset is that of its own text, with
 * three fallbacks: the caption right below or above it on the page, the end of the previous block on its page, the
 * block after it.
 */
export function figuresOfBlocks<Line extends BlockLine>(lines: readonly Line[]): FoundFigures<Line> {
  const figures: Figure[] = []
  const captioned: { line: Line; span: Span }[] = []
  let unlocated = 0
  const captions = captionsByPage(lines)
  for (const [index, line] of lines.entries()) {
    const { type, pageNumber: page, bbox, width = null, height = null } = line
    if (type !== 'figure') continue
    if (page === null || bbox === null) {
      unlocated += 1
      continue
    }
    const ofText = spanOf(line)
    const caption = ofText === null ? captionOf(bbox, captions.get(page) ?? []) : null
    if (caption !== null) captioned.push({ line, span: caption })
    const aspect = width === null || height === null || height === 0 ? null : width / height
    const at = (ofText ?? caption)?.[0] ?? offsetAmong(lines, index, page)
    figures.push({ page, bbox, aspect, at })
  }
  return { figures, captioned, unlocated }
}

/** Null for a block without Markdown. */
const spanOf = ({ markdownSpan }: BlockLine): Span | null =>
  markdownSpan !== null && markdownSpan[1] > markdownSpan[0] ? markdownSpan : null

interface Caption {
  readonly bbox: Figure['bbox']
  readonly span: Span
}

const OF_A_TABLE = /^[\s*_]*(?:table|tab\.|tabelle|tabla|tableau|tabella|tabel|表)/i

function captionsByPage(lines: readonly BlockLine[]): ReadonlyMap<number, readonly Caption[]> {
  const captions = new Map<number, Caption[]>()
  for (const line of lines) {
    const { type, pageNumber: page, bbox, content = '' } = line
    const span = spanOf(line)
    if (type !== 'caption' || page === null || bbox === null || span === null || OF_A_TABLE.test(content)) continue
    const known = captions.get(page)
    if (known === undefined) captions.set(page, [{ bbox, span }])
    else known.push({ bbox, span })
  }
  return captions
}

/** Returns the nearest caption below or above; below in a tie. */
function captionOf([x0, y0, x1, y1]: Figure['bbox'], captions: readonly Caption[]): Span | null {
  let nearest: { readonly gap: number; readonly span: Span } | null = null
  for (const { bbox, span } of captions) {
    if (bbox[0] >= x1 || bbox[2] <= x0) continue
    const [below, above] = [bbox[1] - y1, y0 - bbox[3]]
    const gap = Math.max(below, above)
    if (gap < -CAPTION_REACH || gap > CAPTION_GAP) continue
    if (nearest === null || gap < nearest.gap) nearest = { gap, span }
  }
  return nearest?.span ?? null
}

/** Offset of a figure without text and caption: on its page if that has text. */
function offsetAmong(lines: readonly BlockLine[], index: number, page: number): number {
  const before = (isWanted: (line: BlockLine) => boolean): number | null => {
    for (let at = index - 1; at >= 0 && isWanted(lines[at] as BlockLine); at--) {
      const span = spanOf(lines[at] as BlockLine)
      if (span !== null) return span[1] - 1
    }
    return null
  }
  const after = (): number | null => {
    for (let at = index + 1; at < lines.length && lines[at]?.pageNumber === page; at++) {
      const span = spanOf(lines[at] as BlockLine)
      if (span !== null) return span[0]
    }
    return null
  }
  return before(({ pageNumber }) => pageNumber === page) ?? after() ?? before(() => true) ?? 0
}
