import type { Block, BlockPage, ParsedPage } from '@sluice/contract'
import type { Fragment, PageFragments, Spacing } from './fragment.ts'
import { statusOf } from './page-reading.ts'

/** The Markdown of a document, and the spans in it of the fragments of each page. */
export interface Assembly {
  readonly markdown: string
  readonly spans: readonly (readonly Span[])[]
}

/** Half-open range [start, end), in UTF-16 units of the document Markdown. */
export type Span = readonly [start: number, end: number]

const SEPARATORS: Readonly<Record<Spacing, string>> = { loose: '\n\n', tight: '\n', run_on: ' ', glued: '' }

/** Page break of the contract, option `pageMarkers`. The number names the following page. */
function pageMarker(pageNumber: number): string {
  return `\n\n---\n\n<!-- page ${pageNumber} -->\n\n`
}

/**
 * Serializes the fragments to the document Markdown. Each span slices the Markdown to exactly its fragment. A fragment
 * without text has an empty span at its position.
 */
export function assemble(pages: readonly PageFragments[], options: { readonly pageMarkers: boolean }): Assembly {
  let markdown = ''
  const spans = pages.map((page, index) => {
    // A page without text keeps its marker, so markers count physical pages.
    if (options.pageMarkers && index > 0) markdown += pageMarker(page.pageNumber)
    let fresh = options.pageMarkers
    return page.fragments.map((fragment): Span => {
      if (fragment.markdown !== '') {
        if (markdown !== '' && !fresh) markdown += SEPARATORS[fragment.spacing]
        fresh = false
      }
      const start = markdown.length
      markdown += fragment.markdown
      return [start, markdown.length]
    })
  })
  return { markdown, spans }
}

/** Returns Markdown per page (contract, `pages`) for every physical page, empty pages included. */
export function parsedPages(pages: readonly PageFragments[]): ParsedPage[] {
  return pages.map((page) => ({
    pageNumber: page.pageNumber,
    markdown: assemble([page], { pageMarkers: false }).markdown,
  }))
}

/** Returns typed layout blocks (contract, `data.blocks`) with their spans into the Markdown of `assembly`. */
export function blockPages(pages: readonly PageFragments[], assembly: Assembly): BlockPage[] {
  return pages.map((page, pageIndex) => ({
    pageNumber: page.pageNumber,
    width: page.size?.width ?? null,
    height: page.size?.height ?? null,
    status: statusOf(page.problems),
    items: page.fragments.map((fragment, index): Block => {
      // Omitted text has no span in the Markdown. Its block still carries the text.
      const span = fragment.omitted === undefined ? (assembly.spans[pageIndex]?.[index] ?? null) : null
      return {
        id: `p${page.pageNumber}.b${index}`,
        type: fragment.type,
        label: fragment.label,
        bbox: page.size === null ? null : normalised(fragment, page.size),
        content: span === null ? (fragment.omitted ?? fragment.markdown) : assembly.markdown.slice(span[0], span[1]),
        markdownSpan: span,
        readingOrder: index,
        source: fragment.source,
        confidence: { layout: null, ocr: fragment.ocrConfidence },
      }
    }),
  }))
}

function normalised(
  { bbox }: Fragment,
  size: { readonly width: number; readonly height: number },
): [number, number, number, number] | null {
  if (bbox === null || size.width <= 0 || size.height <= 0) return null
  return [
    unit(bbox.x0 / size.width),
    unit(bbox.y0 / size.height),
    unit(bbox.x1 / size.width),
    unit(bbox.y1 / size.height),
  ]
}

/** Rounds to five decimals, a tenth of a pixel on any page. More digits are noise. */
function unit(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1e5) / 1e5
}
