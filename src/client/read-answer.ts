import type { DocumentMetadata, DocumentRecord, PageCounts, SpanCounts } from '#src/document/record.ts'
import { namedPages } from '#src/document/page-list.ts'
import {
  type Extensions,
  extensionsOf,
  type BlockPage,
  type ParsedData,
  fieldsOf,
  tolerantData,
} from '@sluice/contract'
import { documentMetadata } from './document-metadata.ts'
import { jsonObject, oneLine, replacedIn } from './error-body.ts'
import { verifySpans } from './markdown-spans.ts'
import { usageOf } from './usage.ts'

const HOUR_MS = 3_600_000

/** Fields of an answer that a worker needs, from the answer itself or from its receipt. */
export interface AnswerReading {
  /** Safe to render: types sanitized, spans of blocks verified and in UTF-16 units. */
  readonly data: ParsedData
  /** Reasons why the document is only partial, one sentence each; empty when it is done. */
  readonly problems: readonly string[]
  readonly pages: PageCounts
  /** Null if the service reports no credits. */
  readonly creditsReported: number | null
  readonly metadata: DocumentMetadata
  readonly requestId: string | null
  readonly expiring: DocumentRecord['expiring']
  readonly spans: SpanCounts
  /** Reading quality of each page from the engine; null for any other service. */
  readonly extensions: Extensions | null
}

/**
 * Reads the body of a parsed answer. `receivedAtMs` (epoch) is its arrival, from which links expire; `json` avoids a
 * second parse.
 *
 * @throws {Error} if the body holds no document: `classify` and the store rule that out
 */
export function readAnswer(
  body: Buffer,
  receivedAtMs: number,
  json: Readonly<Record<string, unknown>> | null = jsonObject(body),
): AnswerReading {
  const fields = fieldsOf(json?.data)
  if (fields === null) throw new Error('the receipt holds no document')
  const reading = readData(fields, receivedAtMs)
  return { ...reading, problems: [...reading.problems, ...warningsIn(json), ...replacedIn(body)] }
}

/** Warnings next to `data`, a text or several, as in the vendor's type of an answer. */
const warningsIn = (json: Readonly<Record<string, unknown>> | null): string[] =>
  [json?.warning, json?.warnings]
    .flat()
    .filter(isNonEmptyText)
    .map((text) => `the service warned: ${oneLine(text)}`)

const isNonEmptyText = (text: unknown): text is string => typeof text === 'string' && text.trim() !== ''

/** Like `readAnswer`, for the answer's `data`. */
export function readData(fields: Readonly<Record<string, unknown>>, receivedAtMs: number): AnswerReading {
  const data = tolerantData(fields)
  const spans = verifySpans(data.markdown ?? '', data.blocks ?? [])
  const usage = usageOf(fields)
  const pages = pageCounts(data)
  const scrapeId = data.metadata?.scrapeId
  return {
    data: data.blocks ? { ...data, blocks: spans.pages } : data,
    problems: problemsOf(data, pages),
    pages,
    creditsReported: usage.credits,
    metadata: documentMetadata(data.metadata ?? {}),
    requestId: typeof scrapeId === 'string' ? oneLine(scrapeId) : null,
    expiring: expiringLinks(data, receivedAtMs),
    spans: { unit: spans.unit, dropped: spans.dropped },
    extensions: extensionsOf(fields),
  }
}

function pageCounts({ metadata = {}, pages }: ParsedData): PageCounts {
  const count = (value: unknown): number | null => (typeof value === 'number' ? value : null)
  const parsed = count(metadata.numPages) ?? pages?.length ?? null
  const total = count(metadata.totalPages)
  return { parsed, total, truncated: parsed !== null && total !== null && total > parsed }
}

const OUTPUTS = ['markdown', 'html', 'rawHtml', 'summary', 'links', 'images', 'json'] as const

export const hasOutput = (data: ParsedData): boolean =>
  OUTPUTS.some((name) => data[name] !== undefined && data[name] !== null)

/** Collects every sign of a gap, so that an incomplete document is never silently done. */
function problemsOf(data: ParsedData, { parsed, total, truncated }: PageCounts): string[] {
  const { blocks, warning, metadata } = data
  const said = (text: unknown): text is string => typeof text === 'string' && text.trim() !== ''
  return [
    truncated ? `only ${parsed} of ${total} pages were parsed` : null,
    pagesOf(blocks, 'failed', 'could not be read'),
    pagesOf(blocks, 'partial', 'could be read only in part'),
    said(warning) ? `the service warned: ${oneLine(warning)}` : null,
    said(metadata?.error) ? `the service reported: ${oneLine(metadata.error)}` : siteProblem(metadata?.statusCode),
    hasOutput(data) ? null : 'the answer holds no output at all',
  ].filter((problem) => problem !== null)
}

/** A scrape of an absent page succeeds, with the site's error page as the document. */
function siteProblem(status: unknown): string | null {
  return typeof status === 'number' && status >= 400 ? `the site answered ${status}: this is its error page` : null
}

function pagesOf(pages: readonly BlockPage[] | null | undefined, status: string, what: string): string | null {
  const numbers = (pages ?? []).filter((page) => page.status === status).map(({ pageNumber }) => pageNumber)
  return numbers.length === 0 ? null : `${namedPages(numbers)} ${what}`
}

/** Contract, "Limits": signed audio and video links last an hour, screenshots a day. */
function expiringLinks(data: ParsedData, receivedAtMs: number): DocumentRecord['expiring'] {
  const { screenshot, audio, video, actions } = data
  const shots = Array.isArray(actions?.screenshots) ? (actions.screenshots as unknown[]) : []
  const links: readonly (readonly [field: string, value: unknown, hours: number])[] = [
    ['audio', audio, 1],
    ['video', video, 1],
    ['screenshot', screenshot, 24],
    ...shots.map((shot, index) => [`actions.screenshots[${index}]`, shot, 24] as const),
  ]
  return links
    .filter(([, value]) => typeof value === 'string' && /^https?:/i.test(value))
    .map(([field, , hours]) => ({ field, at: new Date(receivedAtMs + hours * HOUR_MS).toISOString() }))
}
