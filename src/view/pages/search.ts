import { html } from 'hono/html'
import { coverageText } from '#src/corpus/search/coverage.ts'
import type { SearchAnswer, SearchHit } from '#src/corpus/search/search-store.ts'
import type { Snippet } from '#src/corpus/search/snippet.ts'
import { viewLink } from '#src/corpus/search/view-link.ts'
import type { ConsoleAnswer } from '../console-search.ts'
import { chunkLink } from './chunks.ts'
import { count, type Markup, page, position, type StoreFrame } from './layout.ts'

export interface SearchPageOptions extends StoreFrame {
  readonly question: string
  /** Null without a question. */
  readonly found: ConsoleAnswer | null
}

/** Hits of a question; each opens its document at its box. */
export function searchPage({ question, found, ...frame }: SearchPageOptions): Markup {
  return page(
    { ...frame, title: 'Search', current: 'search', question },
    html`<h1>Search</h1>
      ${found === null ? html`<p>Words, "phrases", -excluded words and title:words.</p>` : ''}
      ${
        found?.kind === 'indexing'
          ? html`<p role="status">
              The index is being built: ${count(found.documents)} documents so far. Search again in a moment.
            </p>`
          : ''
      }
      ${found?.kind === 'answer' ? answer(found.answer, frame.base) : ''}`,
  )
}

function answer({ hits, more, coverage, hasWords, ignoredWords }: SearchAnswer, base: string): Markup {
  if (!hasWords) return html`<p role="status">The question has no word to search for.</p>`
  return html`<p role="status" id="found">
      ${coverageText(coverage, hits.length, more)}
      ${ignoredWords === 0 ? '' : `; ${count(ignoredWords)} further words of the question were not searched`}
    </p>
    <ol class="hits">
      ${hits.map((hit) => line(hit, base))}
    </ol>`
}

const line = (hit: SearchHit, base: string): Markup => {
  const { document, documentTitle, address, headings, index, snippet } = hit
  return html`<li>
    <a class="name" href="${base}/${viewLink('', hit)}">${document}${position(hit)}</a>
    ${[documentTitle, address].map((text) => (text === null || text === headings[0] ? '' : html`<small>${text}</small>`))}
    ${headings.length === 0 ? '' : html`<small>${headings.join(' › ')}</small>`}
    <p>${marked(snippet)}</p>
    <small><a href="${chunkLink(base, hit)}">Chunk ${count(index + 1)}</a></small>
  </li>`
}

function marked({ text, marks }: Snippet): readonly (Markup | string)[] {
  const parts: (Markup | string)[] = []
  let at = 0
  for (const [start, end] of marks) {
    parts.push(text.slice(at, start), html`<mark>${text.slice(start, end)}</mark>`)
    at = end
  }
  return [...parts, text.slice(at)]
}
