import { html } from 'hono/html'
import type { DeadLetter } from '#src/document/record.ts'
import { type Citation, citationParams, isOutdated } from '../citation.ts'
import { CITED_ID } from '../mark-cited.ts'
import type { ShownDocument } from '../read-blocks.ts'
import { remedyOf } from '../remedies.ts'
import { badge, count, type Markup, moment, page, type StoreFrame, percent, pairs } from './layout.ts'
import { pageView } from './page-view.ts'

/** Preview of the source: pages of a PDF, sanitised HTML; else the reason for its absence. */
export type Preview = 'pages' | 'html' | keyof typeof NOT_SHOWN

const NOT_SHOWN = {
  none: 'its format has no pages to show',
  away: 'the original is not on this machine',
  changed: 'the original has changed since it was parsed',
} as const

export interface DocumentOptions extends StoreFrame {
  readonly key: string
  readonly shown: ShownDocument | null
  readonly letter: DeadLetter | null
  /** From 1. */
  readonly pageNumber: number
  readonly preview: Preview
  /** Citation in the address. */
  readonly citation: Citation
}

/** The source next to its outputs. */
export function documentPage(options: DocumentOptions): Markup {
  const { key, shown, letter, pageNumber, preview: _, citation, ...frame } = options
  return page(
    { ...frame, title: key, current: 'documents' },
    html`<h1 class="key">${key}</h1>
      ${letter === null ? '' : failure(letter)}
      ${
        shown === null
          ? ''
          : html`${facts(shown, frame.base)} ${cited(shown, citation, pageNumber)} ${viewer(options, shown)}`
      }`,
  )
}

/** The source and its Markdown; the Markdown alone without a preview. */
function viewer(options: DocumentOptions, shown: ShownDocument): Markup {
  const { key, base, pageNumber, preview, citation } = options
  const named = new URLSearchParams({ key }).toString()
  const markdown = `${citationParams(key, citation, null)}${citation.spans.length > 0 ? `#${CITED_ID}` : ''}`
  const picture = preview === 'pages' ? `${base}/page.png?${named}&page=${pageNumber}` : null
  const isShown = preview === 'pages' || preview === 'html'
  const hasSource = isShown || shown.blocks.length > 0
  const source =
    preview === 'html'
      ? html`<iframe title="Source" sandbox="allow-same-origin" src="${base}/content/source?${named}"></iframe>`
      : pageView({ ...shown, pageNumber, picture, citation })
  return html`${isShown ? '' : html`<p class="soft note">The source is not shown: ${NOT_SHOWN[preview]}.</p>`}
    <div class="viewer ${hasSource ? '' : 'single'}">
      ${hasSource ? html`<section class="source" aria-label="Source">${source}</section>` : ''}
      <section class="result" aria-label="Markdown">
        <iframe
          id="markdown"
          title="Markdown"
          sandbox="allow-same-origin"
          src="${base}/content/markdown?${markdown}"
          data-page="${pageNumber}"
        ></iframe>
      </section>
    </div>`
}

/** Describes the citation in the address, and warns if it is outdated. */
function cited({ record }: ShownDocument, citation: Citation, pageNumber: number): Markup {
  const { spans, boxes } = citation
  if (spans.length + boxes.length === 0) return html``
  const ranges = spans.map(([start, end]) => `characters ${count(start)} to ${count(end)}`)
  const what = [...(boxes.length > 0 ? [`a part of page ${pageNumber}`] : []), ...ranges].join(', ')
  return html`<p class="citing" role="status">
    <strong>Cited:</strong> ${what}.
    <a href="?${citationParams(record.key, { spans: [], receipt: null }, pageNumber)}">Without marks</a>
    ${
      isOutdated(citation, record)
        ? html`<br /><strong class="warning"
              >The document was parsed again after this citation was made: the position may have changed.</strong
            >`
        : ''
    }
  </p>`
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

function facts({ record }: ShownDocument, base: string): Markup {
  const { outcome, goneAt, pages, cost, parser, grade, attempts, finishedAt, requestId, problems, bytes } = record
  const { title, language, modified, address } = record.metadata ?? {}
  const own = [
    ['Title', title],
    ['Address', address],
    ['Language', language],
    ['Modified', modified === undefined ? undefined : `${moment(modified)} UTC`],
  ] as const
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
  return html`<div class="summary">
      ${badge(goneAt === undefined ? outcome : 'gone')}
      ${list([...own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])), ...main])}
    </div>
    ${
      problems.length === 0
        ? ''
        : html`<ul class="problems">
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`
    }
    <p><a href="${base}/chunks?${new URLSearchParams({ key: record.key }).toString()}">Chunks of this document</a></p>
    <details>
      <summary>Request, receipt and content</summary>
      ${list(more)}
      <p>
        <a href="${base}/compare?${new URLSearchParams({ key: record.key }).toString()}"
          >Compare the receipts of this document</a
        >
      </p>
    </details>`
}

const list = (rows: readonly (readonly [name: string, value: string])[]): Markup =>
  html`<dl class="facts">${pairs(rows)}</dl>`
