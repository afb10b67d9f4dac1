import type { Block, BlockPage, ParsedPage } from '@sluice/contract'
import type { Fragment, PageFragments, Spacing } from './fragment.ts'
import { statusOf } from './page-reading.ts'

/** The document as text, and for each page the place of each of its fragments in it. */
export interface Assembly {
  readonly markdown: string
  readonly spans: readonly (readonly Span[])[]
}

/** [start, end) in UTF-16 units of the document Markdown. */
export type Span = readonly [start: number, end: number]

const SEPARATORS: Readonly<Record<Spacing, string>> = { loose: '\n\n', tight: '\n', run_on: ' ', glued: '' }

/** Contract, `pageMarkers`: what stands between two pages; the number is that of the page that follows. */
function pageMarker(pageNumber: number): string {
  return `\n\n---\n\n<!-- page ${pageNumber} -->\n\n`
}

/**
 * Writes the document Markdown out of the fragments' own texts, so that each span slices it to its fragment exactly.
 * A fragment without text has an empty span at the place where it would have stood.
 */
export function assemble(pages: readonly PageFragments[], options: { readonly pageMarkers: boolean }): Assembly {
  let markdown = ''
  const spans = pages.map((page, index) => {
    // A page without text keeps its marker: numbering then is that of the physical pages.
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

/** Per-page Markdown (contract, `pages`): every physical page, empty ones too. */
export function parsedPages(pages: readonly PageFragments[]): ParsedPage[] {
  return pages.map((page) => ({
    pageNumber: page.pageNumber,
    markdown: assemble([page], { pageMarkers: false }).markdown,
  }))
}

/** Typed layout blocks (contract, `data.blocks`), their spans into the document Markdown of `assembly`. */
export function blockPages(pages: readonly PageFragments[], assembly: Assembly): BlockPage[] {
  return pages.map((page, pageIndex) => ({
    pageNumber: page.pageNumber,
    width: page.size?.width ?? null,
    height: page.size?.height ?? null,
    status: statusOf(page.problems),
    items: page.fragments.map((fragment, index): Block => {
      // Text that is not in the Markdown has no place there; its block still says what it reads.
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

/** Five decimals name a tenth of a pixel on any page; more would only be noise. */
function unit(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1e5) / 1e5
}
