import { html } from 'hono/html'
import { type DocumentRecord, receiptsOf } from '#src/document/record.ts'
import { excerptOf, kindOf, nameOfType } from '../block-text.ts'
import { type Box, type Citation, citationParams, citesBlock } from '../citation.ts'
import type { Block, ShownDocument } from '../read-blocks.ts'
import { type Markup, percent } from './layout.ts'

/** A4 at 144 dots per inch, the fallback for pages of unknown size. */
const A4 = { width: 1_191, height: 1_684 }

export interface PageViewOptions extends ShownDocument {
  readonly pageNumber: number
  /** Address of the drawn page; null if it cannot be drawn. */
  readonly picture: string | null
  readonly citation: Citation
}

/** A page with its known blocks, and their list in reading order. */
export function pageView({ record, blocks, pageNumber, picture, citation }: PageViewOptions): Markup {
  const last = record.pages.total ?? Math.max(1, ...blocks.map((block) => block.pageNumber))
  const blocksOfPage = blocks
    .filter((block) => block.pageNumber === pageNumber)
    .toSorted((a, b) => a.readingOrder - b.readingOrder)
  const width = blocksOfPage[0]?.width ?? A4.width
  const height = blocksOfPage[0]?.height ?? A4.height
  const grade = record.grade?.pages[pageNumber - 1] ?? null
  const link = (to: number, rel: string, name: string): Markup =>
    html`<a rel="${rel}" href="?${citationParams(record.key, citation, to)}">${name}</a>`
  return html`<nav class="paging" aria-label="Pages of the document">
      ${pageNumber > 1 ? link(pageNumber - 1, 'prev', 'Previous') : ''}
      <span
        >Page ${pageNumber} of
        ${last}${grade === null ? '' : html`, grade ${percent(grade)}`}${blocksOfPage[0] === undefined ? '' : `, ${blocksOfPage[0].status}`}</span
      >
      ${pageNumber < last ? link(pageNumber + 1, 'next', 'Next') : ''}
    </nav>
    ${picture === null && blocksOfPage.length === 0 ? html`<p class="none">The store has no blocks of this page.</p>` : ''}
    <div class="sheet" ${picture === null && blocksOfPage.length === 0 ? html`hidden` : ''}>
      ${picture === null ? '' : html`<img src="${picture}" alt="Page ${pageNumber} of the original" />`}
      <svg
        class="blocks ${picture === null ? 'bare' : ''}"
        viewBox="0 0 ${width} ${height}"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        ${blocksOfPage.map((block) => rectangle(block, width, height, citesBlock(citation, block)))}
        ${citation.boxes.map((box) => citedBox(box, width, height))}
      </svg>
    </div>
    <ol class="blocklist" aria-label="Blocks in reading order">
      ${blocksOfPage.map((block) => blockLine(block, record, citesBlock(citation, block)))}
    </ol>`
}

const citedBox = ([left, top, right, bottom]: Box, width: number, height: number): Markup =>
  html`<rect
    class="cited box"
    x="${left * width}"
    y="${top * height}"
    width="${(right - left) * width}"
    height="${(bottom - top) * height}"
  ></rect>`

function rectangle({ id, type, bbox, markdownSpan }: Block, width: number, height: number, isCited: boolean): Markup {
  if (bbox === null) return html``
  const [left, top, right, bottom] = bbox
  const [start, end] = markdownSpan ?? ['', '']
  return html`<rect
    class="block type-${kindOf(type)}${isCited ? ' cited' : ''}"
    data-block="${id}"
    data-start="${start}"
    data-end="${end}"
    x="${left * width}"
    y="${top * height}"
    width="${Math.max(0, right - left) * width}"
    height="${Math.max(0, bottom - top) * height}"
  ></rect>`
}

/** A block of the list, with a link to its position. */
function blockLine(block: Block, record: DocumentRecord, isCited: boolean): Markup {
  const { id, type, markdownSpan, confidence, pageNumber } = block
  const cited = markdownSpan === null ? null : { spans: [markdownSpan], receipt: receiptsOf(record)[0] ?? null }
  return html`<li ${isCited ? html`class="cited"` : ''}>
    <button
      type="button"
      class="blockname type-${kindOf(type)}"
      data-block="${id}"
      data-start="${markdownSpan?.[0] ?? ''}"
      data-end="${markdownSpan?.[1] ?? ''}"
    >
      <b>${nameOfType(type)}</b>
      <span>${excerptOf(block)}</span
      >${confidence.ocr === null ? '' : html` <small>OCR ${percent(confidence.ocr)}</small>`}
    </button>
    ${
      cited === null
        ? ''
        : html`<a class="cite" href="?${citationParams(record.key, cited, pageNumber)}" title="Link to this block"
            >Link<span class="unseen"> to block ${id}</span></a
          >`
    }
  </li>`
}
