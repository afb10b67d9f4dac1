import { html } from 'hono/html'
import { INDEX_LIMIT } from '#src/corpus/search/index-document.ts'
import type { ProvenChunk } from '#src/corpus/search/prove-chunk.ts'
import type { DocumentChunks } from '#src/corpus/search/search-store.ts'
import { viewLink } from '#src/corpus/search/view-link.ts'
import { PAGE_CHUNKS } from '../api-schemas.ts'
import { noChunks } from '../chunk-list.ts'
import type { ConsoleChunks } from '../console-search.ts'
import { count, documentLink, type Markup, page, paging, position, type StoreFrame } from './layout.ts'

export interface ChunksOptions extends StoreFrame {
  readonly key: string
  /** Number of the first chunk, from 0. */
  readonly from: number
  /** A chunk to mark, from 1; null for none. */
  readonly marked: number | null
  readonly found: ConsoleChunks
}

/** Address of a chunk in the list of its document. */
export const chunkLink = (base: string, { document, index }: Pick<ProvenChunk, 'document' | 'index'>): string =>
  `${base}/chunks?${new URLSearchParams({ key: document, chunk: String(index + 1) }).toString()}#chunk-${index + 1}`

/** The chunks of a document, as the search has them; each links to its place in the document. */
export function chunksPage({ key, from, marked, found, ...frame }: ChunksOptions): Markup {
  return page(
    { ...frame, title: `Chunks of ${key}`, current: 'documents' },
    html`<p class="back"><a href="${documentLink(frame.base, key)}">${key}</a></p>
      <h1>Chunks</h1>
      ${
        found.kind === 'indexing'
          ? html`<p role="status">
              The index is being built: ${count(found.documents)} documents so far. Try again in a moment.
            </p>`
          : found.status === 'read'
            ? list(found, { key, from, marked, base: frame.base })
            : html`<p role="status">No chunks: ${noChunks(found.status)}.</p>`
      }`,
  )
}

function list(
  { total, chunks }: DocumentChunks,
  { key, from, marked, base }: Pick<ChunksOptions, 'key' | 'from' | 'marked' | 'base'>,
): Markup {
  const link = (number: number): string => `?${new URLSearchParams({ key, page: String(number) }).toString()}`
  const pages = { current: from / PAGE_CHUNKS + 1, last: Math.max(1, Math.ceil(total / PAGE_CHUNKS)), link }
  return html`<p role="status" id="found">
      ${count(total)} ${total === 1 ? 'chunk' : 'chunks'} of at most ${INDEX_LIMIT} tokens
    </p>
    <ol class="hits chunks">
      ${chunks.map((chunk) => line(chunk, chunk.index + 1 === marked, base))}
    </ol>
    ${paging('Pages of the chunks', pages)}`
}

const line = (chunk: ProvenChunk, isMarked: boolean, base: string): Markup => {
  const { index, kind, tokens, headings, body } = chunk
  const number = index + 1
  return html`<li id="chunk-${number}" ${isMarked ? html`class="cited"` : ''}>
    <a class="name" href="${base}/${viewLink('', chunk)}">Chunk ${count(number)}${position(chunk)}</a>
    <small>${kind}, ${count(tokens)} ${tokens === 1 ? 'token' : 'tokens'}</small>
    ${headings.length === 0 ? '' : html`<small>${headings.join(' › ')}</small>`}
    <pre>${body}</pre>
  </li>`
}
