import { html } from 'hono/html'
import type { DeadLetter } from '#src/document/record.ts'
import type { Block, ShownDocument } from '../read-blocks.ts'
import { remedyOf } from '../remedies.ts'
import { badge, type Markup, moment, page, type PageFrame, percent } from './layout.ts'

export interface DocumentOptions extends Omit<PageFrame, 'title' | 'current'> {
  readonly key: string
  readonly shown: ShownDocument | null
  readonly letter: DeadLetter | null
  /** From 1. */
  readonly pageNumber: number
  /** How the source can be shown: pages of a PDF, sanitised HTML, or not at all. */
  readonly preview: 'pages' | 'html' | 'none'
}

/** The source beside what became of it. */
export function documentPage(options: DocumentOptions): Markup {
  const { key, shown, letter, pageNumber, preview, ...frame } = options
  const named = `key=${encodeURIComponent(key)}`
  return page(
    { ...frame, title: key, current: 'documents' },
    html`<h1 class="key">${key}</h1>
      ${letter === null ? '' : failure(letter)}
      ${
        shown === null
          ? ''
          : html`${facts(shown)}
              <div class="viewer">
                <section class="source" aria-label="Source">
                  ${preview === 'html' ? html`<iframe title="Source" sandbox="allow-same-origin" src="${frame.base}/content/source?${named}"></iframe>` : ''}
                  ${preview !== 'html' ? pageView(shown, pageNumber, preview === 'pages' ? `${frame.base}/page.png?${named}&page=${pageNumber}` : null) : ''}
                </section>
                <section class="result" aria-label="Markdown">
                  <iframe
                    id="markdown"
                    title="Markdown"
                    sandbox="allow-same-origin"
                    src="${frame.base}/content/markdown?${named}"
                  ></iframe>
                </section>
              </div>`
      }`,
  )
}

const failure = ({ failure: { code, stage, message }, attempts, lastAt }: DeadLetter): Markup =>
  html`<section class="failure">
    <p>
      ${badge('failed')} <strong>${code}</strong> at ${stage}, after ${attempts}
      ${attempts === 1 ? 'attempt' : 'attempts'}, ${moment(lastAt)} UTC
    </p>
    <p>${message}</p>
    <p>${remedyOf(code)}</p>
  </section>`

function facts({ record }: ShownDocument): Markup {
  const { outcome, goneAt, pages, cost, parser, grade, attempts, finishedAt, requestId, problems, bytes } = record
  const main = [
    ['Pages', pages.parsed === null ? '–' : `${pages.parsed} of ${pages.total ?? '?'}`],
    ['Grade', grade === undefined ? '–' : `${percent(grade.grade)}, lowest page ${percent(grade.lowest)}`],
    ['Credits', `${cost.credits} (${cost.basis})`],
    ['Parser', parser === undefined ? record.service : `${parser.class} ${parser.version ?? ''}`],
    ['Finished', `${moment(finishedAt)} UTC`],
  ] as const
  const more = [
    ['Size', `${bytes} bytes`],
    ['Attempts', String(attempts)],
    ['Request', requestId ?? '–'],
    ['Receipt', record.receipt ?? (record.pieces === undefined ? 'not kept' : `${record.pieces.length} pieces`)],
    ['Content', record.contentHash],
  ] as const
  return html`<div class="summary">${badge(goneAt === undefined ? outcome : 'gone')} ${list(main)}</div>
    ${
      problems.length === 0
        ? ''
        : html`<ul class="problems">
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`
    }
    <details>
      <summary>Request, receipt and content</summary>
      ${list(more)}
    </details>`
}

const list = (rows: readonly (readonly [name: string, value: string])[]): Markup =>
  html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

/** A4 at 144 dots an inch, for pages whose size is not known. */
const A4 = { width: 1_191, height: 1_684 }

function pageView({ record, blocks }: ShownDocument, pageNumber: number, picture: string | null): Markup {
  const last = record.pages.total ?? Math.max(1, ...blocks.map((block) => block.pageNumber))
  const own = blocks
    .filter((block) => block.pageNumber === pageNumber)
    .toSorted((a, b) => a.readingOrder - b.readingOrder)
  const { width, height } = own[0] ?? A4
  const grade = record.grade?.pages[pageNumber - 1] ?? null
  const link = (to: number, rel: string, name: string): Markup =>
    html`<a rel="${rel}" href="?key=${encodeURIComponent(record.key)}&amp;page=${to}">${name}</a>`
  if (picture === null && own.length === 0) {
    return html`<p class="none">
      The source has no page view here: its folder is not on this machine, its file changed since it was parsed, or its
      format has no pages.
    </p>`
  }
  return html`<nav class="paging" aria-label="Pages of the document">
      ${pageNumber > 1 ? link(pageNumber - 1, 'prev', 'Previous') : ''}
      <span
        >Page ${pageNumber} of
        ${last}${grade === null ? '' : html`, grade ${percent(grade)}`}${own[0] === undefined ? '' : `, ${own[0].status}`}</span
      >
      ${pageNumber < last ? link(pageNumber + 1, 'next', 'Next') : ''}
    </nav>
    <div class="sheet">
      ${picture === null ? '' : html`<img src="${picture}" alt="Page ${pageNumber} as it is printed" />`}
      <svg
        class="blocks ${picture === null ? 'bare' : ''}"
        viewBox="0 0 ${width ?? A4.width} ${height ?? A4.height}"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        ${own.map((block) => rectangle(block, width ?? A4.width, height ?? A4.height))}
      </svg>
    </div>
    <ol class="blocklist" aria-label="Blocks in reading order">
      ${own.map(blockLine)}
    </ol>`
}

function rectangle({ id, type, bbox, markdownSpan }: Block, width: number, height: number): Markup {
  if (bbox === null) return html``
  const [left, top, right, bottom] = bbox
  const [start, end] = markdownSpan ?? ['', '']
  return html`<rect
    class="block type-${kindOf(type)}"
    data-block="${id}"
    data-start="${start}"
    data-end="${end}"
    x="${left * width}"
    y="${top * height}"
    width="${Math.max(0, right - left) * width}"
    height="${Math.max(0, bottom - top) * height}"
  ></rect>`
}

/** Types are the service's: only known ones become a class. */
const KINDS = [
  'heading',
  'title',
  'paragraph',
  'text',
  'list',
  'table',
  'figure',
  'image',
  'formula',
  'header',
  'footer',
  'caption',
]

const kindOf = (type: string): string =>
  type === 'section_header' ? 'heading' : (KINDS.find((kind) => type.toLowerCase().includes(kind)) ?? 'other')

const blockLine = ({ id, type, content, markdownSpan, confidence }: Block): Markup =>
  html`<li>
    <button
      type="button"
      class="blockname type-${kindOf(type)}"
      data-block="${id}"
      data-start="${markdownSpan?.[0] ?? ''}"
      data-end="${markdownSpan?.[1] ?? ''}"
    >
      <b>${type}</b>
      ${content.slice(0, 80)}${confidence.ocr === null ? '' : html` <small>OCR ${percent(confidence.ocr)}</small>`}
    </button>
  </li>`
