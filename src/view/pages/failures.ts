import { html } from 'hono/html'
import type { DocumentIndex } from '../document-index.ts'
import { remedyOf } from '../remedies.ts'
import { count, documentLink, type Markup, page, type PageFrame } from './layout.ts'

export interface FailuresOptions extends Omit<PageFrame, 'title' | 'current'> {
  readonly index: DocumentIndex
  /** The command that does documents with this code again, to be pasted; null where the source is not known. */
  readonly retryCommand: (code: string) => string | null
  readonly canRetry: boolean
}

/** Documents of each code that are named. */
const EXAMPLES = 5

const titleOf = (code: string): string => `${code.slice(0, 1).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`

/** Failures by reason, each with what helps. */
export function failuresPage({ index, retryCommand, canRetry, ...frame }: FailuresOptions): Markup {
  const codes = index.facet('code')
  return page(
    { ...frame, title: 'Failures', current: 'failures' },
    html`<h1>Failures</h1>
      ${codes.length === 0 ? html`<p>No document failed.</p>` : ''}
      ${codes.map(({ value, count: number }) => {
        const command = retryCommand(value)
        return html`<section class="failure" aria-labelledby="code-${value}">
          <h2 id="code-${value}">
            <a href="${frame.base}/documents?code=${value}">${titleOf(value)}</a>
            ${value.includes('_') ? html`<small>${value}</small>` : ''}
            <span class="badge failed">${count(number)}</span>
          </h2>
          <p>${remedyOf(value)}</p>
          <ul>
            ${index
              .examples(value, EXAMPLES)
              .map(
                (row) =>
                  html`<li>
                    <a href="${documentLink(frame.base, row.key)}">${row.key}</a><small>${row.note}</small>
                  </li>`,
              )}
          </ul>
          ${command === null ? '' : html`<p class="command">Again, on a command line: <code>${command}</code></p>`}
          ${canRetry ? html`<form method="post" action="${frame.base}/actions/retry"><button name="code" value="${value}">Retry ${count(number)}</button></form>` : ''}
        </section>`
      })}`,
  )
}
