import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { ProvenChunk } from '#src/corpus/search/prove-chunk.ts'
import { withCodes } from '#src/kit/concealed.ts'

export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** Options of all pages of a store. */
export interface StoreFrame {
  /** Prefix of each link: `/<token>`. */
  readonly base: string
  /** Address of the store. */
  readonly store: string
}

interface PageFrame extends StoreFrame {
  readonly title: string
  readonly current: 'overview' | 'documents' | 'failures' | 'search'
  /** Text of the search box. */
  readonly question?: string
}

const LINKS = [
  ['overview', '', 'Overview'],
  ['documents', '/documents', 'Documents'],
  ['failures', '/failures', 'Failures'],
] as const

/** Content of a `dl`: names with their values. */
export const pairs = (rows: readonly (readonly [name: string, value: string])[]): readonly Markup[] =>
  rows.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  )

/** A page with its navigation. */
export const page = ({ title, base, current, store, question = '' }: PageFrame, content: Markup): Markup =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Sluice</title>
        <link rel="icon" href="${base}/assets/icon.svg" />
        <link rel="stylesheet" href="${base}/assets/view.css" />
        <script type="module" src="${base}/assets/view.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <strong class="brand">Sluice</strong>
          <nav aria-label="Pages">
            ${LINKS.map(
              ([id, path, name]) =>
                html`<a href="${base}${path === '' ? '/' : path}" ${id === current ? html`aria-current="page"` : ''}
                  >${name}</a
                >`,
            )}
          </nav>
          <form class="ask" action="${base}/search" role="search" aria-label="Text of the documents">
            <input
              type="search"
              name="q"
              value="${question}"
              aria-label="Search the text"
              placeholder="Search the text"
            />
          </form>
          <span class="store" title="${store}">${lastOf(store)}</span>
        </header>
        <main id="main" tabindex="-1">${content}</main>
      </body>
    </html>`

/** Shortens an address to its end, the most specific part. */
const lastOf = (store: string): string => readable(store).replace(/\/$/, '').split('/').slice(-2).join('/')

/** Decodes an address. A prefix in a bucket may hold a per cent sign outside an escape sequence. */
function readable(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address
  }
}

/** Address of a document's page. Unlike `encodeURIComponent`, it throws for no key of any source. */
export const documentLink = (base: string, key: string): string =>
  `${base}/document?${new URLSearchParams({ key }).toString()}`

const WHOLE = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const count = (value: number): string => WHOLE.format(value)

export const percent = (value: number | null): string => (value === null ? '–' : `${Math.round(value * 100)} %`)

/** `2026-11-22 17:14`, UTC. */
export const moment = (iso: string): string => iso.slice(0, 16).replace('T', ' ')

export const badge = (outcome: string): Markup => html`<span class="badge ${outcome}">${outcome}</span>`

/** Page and sheet of a chunk: `, page 3`. */
export const position = ({ pages: [first], sheet }: Pick<ProvenChunk, 'pages' | 'sheet'>): string =>
  first === undefined ? (sheet === null ? '' : `, sheet ${sheet}`) : `, page ${first}`

interface Paging {
  /** From 1. */
  readonly current: number
  readonly last: number
  /** Address of a page of the list. */
  readonly link: (page: number) => string
}

/** Links to the previous and next page of a list. */
export const paging = (label: string, { current, last, link }: Paging): Markup =>
  html`<nav class="paging" aria-label="${label}">
    ${current > 1 ? html`<a rel="prev" href="${link(current - 1)}">Previous</a>` : ''}
    <span>Page ${count(current)} of ${count(last)}</span>
    ${current < last ? html`<a rel="next" href="${link(current + 1)}">Next</a>` : ''}
  </nav>`

/** A list whose address has a wrong parameter. */
export const wrongAddress = ({ path, ...frame }: PageFrame & { readonly path: string }, error: string): Markup =>
  page(
    frame,
    html`<h1>${frame.title}</h1>
      <p role="alert">The address is wrong: ${error}.</p>
      <p><a href="${frame.base}/${path}">${frame.title} without parameters</a></p>`,
  )

/** Shows characters of texts that reorder a text or have no width; attributes stay as they are. */
export const revealedPage = (markup: string): string =>
  markup.replaceAll(/<[^>]*>|[^<]+/g, (part) => (part.startsWith('<') ? part : withCodes(part)))
