import { count } from '#src/kit/count.ts'
import type { SearchIndex, UnreadStatus } from './search-index.ts'

/** Documents that a search covers, and those it does not. */
export interface Coverage {
  /** Number of searched documents, `partial` ones included. */
  readonly documents: number
  /** Number of pages that the parser did not return in `partial` documents. */
  readonly missingPages: number
  /** Numbers of documents by reason. */
  readonly unread: Readonly<Record<UnreadStatus, number>>
  /** The first 100 of them. */
  readonly examples: readonly { readonly document: string; readonly reason: UnreadStatus }[]
}

const MAX_EXAMPLES = 100

/** `isWanted`: null for all documents. */
export function coverageOf(
  index: Pick<SearchIndex, 'counts' | 'unread'>,
  isWanted: ((key: string) => boolean) | null,
): Coverage {
  const unread = { partial: 0, failed: 0, no_markdown: 0, damaged: 0, gone: 0 }
  let [documents, missingPages] = [0, 0]
  for (const { status, documents: number, missing } of index.counts(isWanted)) {
    if (status === 'read' || status === 'partial') documents += number
    if (status !== 'read') unread[status] = number
    missingPages += missing
  }
  const examples = index.unread(isWanted, MAX_EXAMPLES).map(({ key, status }) => ({ document: key, reason: status }))
  return { documents, missingPages, unread, examples }
}

const one = (number: number, singular: string, plural: string): string =>
  `${count(number)} ${number === 1 ? singular : plural}`

/** The coverage line of an answer: `0 hits in 12,408 documents; 4 documents failed`. */
export function coverageText({ documents, missingPages, unread }: Coverage, hits: number, more: boolean): string {
  const missing = missingPages === 0 ? '' : ` (${one(missingPages, 'page is', 'pages are')} missing)`
  const notes = [
    [unread.partial, `${one(unread.partial, 'document was', 'documents were')} read in part${missing}`],
    [unread.failed, `${one(unread.failed, 'document', 'documents')} failed`],
    [unread.damaged, `${one(unread.damaged, 'document is', 'documents are')} damaged: run verify --repair`],
    [unread.no_markdown, `${one(unread.no_markdown, 'document has', 'documents have')} no Markdown`],
    [unread.gone, `${one(unread.gone, 'document is', 'documents are')} gone from the source`],
  ] as const
  const first = hits === 1 ? 'the first hit' : `the first ${count(hits)} hits`
  const found = more ? first : one(hits, 'hit', 'hits')
  return [
    `${found} in ${one(documents, 'document', 'documents')}`,
    ...notes.filter(([number]) => number > 0).map(([, note]) => note),
  ].join('; ')
}
