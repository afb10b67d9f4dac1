import { html } from 'hono/html'
import type { PartialReason } from '../document-index.ts'
import type { CodeFailures } from '../remedies.ts'
import { count, documentLink, type Markup, page, type StoreFrame } from './layout.ts'

export interface FailuresOptions extends StoreFrame {
  readonly failures: readonly CodeFailures[]
  readonly partials: readonly PartialReason[]
  readonly canRetry: boolean
}

const titleOf = (code: string): string => `${code.slice(0, 1).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`

/** Failures by reason, each with its remedy. */
export function failuresPage({ failures, partials, canRetry, ...frame }: FailuresOptions): Markup {
  return page(
    { ...frame, title: 'Failures', current: 'failures' },
    html`<h1>Failures</h1>
      ${failures.length === 0 ? html`<p>No document failed.</p>` : ''}
      ${failures.map(
        ({ code, count: number, remedy, retryCommand, examples }) =>
          html`<section class="failure" aria-labelledby="code-${code}">
            <h2 id="code-${code}">
              <a href="${frame.base}/documents?code=${code}">${titleOf(code)}</a>
              ${code.includes('_') ? html`<small>${code}</small>` : ''}
              <span class="badge failed">${count(number)}</span>
            </h2>
            <p>${remedy}</p>
            <ul>
              ${examples.map(
                (row) =>
                  html`<li>
                    <a href="${documentLink(frame.base, row.key)}">${row.key}</a><small>${row.note}</small>
                  </li>`,
              )}
            </ul>
            ${retryCommand === null ? '' : html`<p class="command">To retry on a command line: <code>${retryCommand}</code></p>`}
            ${canRetry ? html`<form method="post" action="${frame.base}/actions/retry"><button name="code" value="${code}">Retry ${count(number)}</button></form>` : ''}
          </section>`,
      )}
      ${partials.length === 0 ? '' : html`<h1>Partial documents</h1>`}
      ${partials.map((reason, number) => partial(reason, number, frame.base))}`,
  )
}

const partial = ({ reason, count: number, examples }: PartialReason, id: number, base: string): Markup =>
  html`<section class="failure" aria-labelledby="partial-${id}">
    <h2 id="partial-${id}">${reason} <span class="badge partial">${count(number)}</span></h2>
    <ul>
      ${examples.map(
        (row) => html`<li><a href="${documentLink(base, row.key)}">${row.key}</a><small>${row.note}</small></li>`,
      )}
    </ul>
  </section>`
