import { html } from 'hono/html'
import type { DocumentIndex } from '../document-index.ts'
import { count, type Markup, page, type StoreFrame, pairs } from './layout.ts'

export interface OverviewOptions extends StoreFrame {
  readonly index: DocumentIndex
  readonly hasLive: boolean
  readonly allowWrites: boolean
}

/** Totals of the store; `view.js` fills in the live part. */
export function overviewPage({ index, hasLive, allowWrites, ...frame }: OverviewOptions): Markup {
  const { documents, credits, pages } = index.totals()
  const { base } = frame
  const tiles = [
    ['Documents', count(documents)],
    // The run already shows outcomes.
    ...(hasLive ? [] : index.facet('outcome')).map(
      ({ value, count: number }) => [capital(value), count(number)] as const,
    ),
    ['Pages', count(pages)],
    ['Credits', count(credits)],
  ] as const
  return page(
    { ...frame, title: 'Overview', current: 'overview' },
    html`<h1>Overview</h1>
      ${hasLive ? live(base, allowWrites) : ''}
      <section aria-labelledby="store-heading">
        <h2 id="store-heading">In the store</h2>
        <dl class="tiles" id="totals" data-store="${base}/api/store">${pairs(tiles)}</dl>
        <p id="store-note" class="soft" role="status"></p>
        ${hasLive ? '' : NOT_LIVE}
      </section>
      ${
        documents === 0
          ? ''
          : html`<section aria-labelledby="parts-heading">
              <h2 id="parts-heading">By kind</h2>
              <div class="columns">${COLUMNS.map(([column, title]) => countsBy(column, title, index, base))}</div>
            </section>`
      }`,
  )
}

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

const NOT_LIVE = html`<p>
  The source of this store is unknown. To see its run here, start <code>sluice view SOURCE --out …</code>.
</p>`

/** Empty until the first answer arrives. */
const live = (base: string, allowWrites: boolean): Markup =>
  html`<section
    aria-labelledby="live-heading"
    id="live"
    data-live="${base}/api/live"
    data-history="${base}/api/history"
  >
    <h2 id="live-heading" class="unseen">Now</h2>
    <div id="live-run" role="status"></div>
    <p id="live-line" role="status">Asking …</p>
    <progress id="live-progress" max="1" value="0" aria-label="Documents with an outcome"></progress>
    <ul id="live-outages" class="problems"></ul>
    <dl class="tiles" id="live-tiles"></dl>
    <p id="live-skipped" class="soft"></p>
    <div id="live-charts"></div>
    ${allowWrites ? pauseForm(base) : ''}
    <div class="halves">
      <div>
        <h3>Limiter and budget</h3>
        <div id="live-limiter"></div>
        <dl class="pairs" id="live-budgets"></dl>
      </div>
      <div>
        <h3>Workers</h3>
        <div id="live-workers" class="scroll" tabindex="0" role="region" aria-label="Workers"></div>
      </div>
    </div>
    <noscript><p>The state of the run needs JavaScript.</p></noscript>
  </section>`

const pauseForm = (base: string): Markup =>
  html`<form method="post" action="${base}/actions/pause">
    <button name="do" value="pause">Pause</button> <button name="do" value="resume">Resume</button>
  </form>`

const COLUMNS = [
  ['format', 'Format'],
  ['parser', 'Parser'],
  ['code', 'Failure'],
] as const

/** Maximum number of values per kind. */
const MAX_VALUES = 12

function countsBy(column: (typeof COLUMNS)[number][0], title: string, index: DocumentIndex, base: string): Markup {
  const all = index.facet(column)
  const rows = all.slice(0, MAX_VALUES)
  const rest = all.slice(MAX_VALUES)
  if (rows.length === 0) return html``
  return html`<table>
    <caption>
      ${title}
    </caption>
    <tbody>
      ${rows.map(
        ({ value, count: number }) =>
          html`<tr>
            <th scope="row"><a href="${base}/documents?${column}=${encodeURIComponent(value)}">${value}</a></th>
            <td class="number">${count(number)}</td>
          </tr>`,
      )}
      ${
        rest.length === 0
          ? ''
          : html`<tr>
              <th scope="row">${count(rest.length)} more</th>
              <td class="number">${count(rest.reduce((sum, { count: number }) => sum + number, 0))}</td>
            </tr>`
      }
    </tbody>
  </table>`
}
