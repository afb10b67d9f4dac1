import {
  type Extensions,
  extensionsFrom,
  type Block,
  type BlockPage,
  type ParsedData,
  type ParsedMetadata,
  type ParsedPage,
} from '@sluice/contract'
import { type AnswerReading, readData } from '#src/client/read-answer.ts'

/** The answer for one piece of a document. Its pages are counted from 1 in the document. */
export interface PieceReading {
  readonly firstPage: number
  readonly lastPage: number
  readonly reading: AnswerReading
}

export interface WholeDocument {
  readonly totalPages: number
  /** True if the recipe asks for page markers. */
  readonly pageMarkers: boolean
}

/** True if a recipe in its canonical form asks for page markers. */
export function marksPages(canonical: Readonly<Record<string, unknown>>): boolean {
  const [pdf] = (canonical.parsers ?? []) as readonly { readonly pageMarkers?: boolean }[]
  return pdf?.pageMarkers === true
}

/**
 * Merges the answers for the pieces of a document into one answer, equivalent to a single request. Page numbers, block
 * ids and spans refer to the document. Links and images are deduplicated; pages and credits are summed. A model's
 * separate texts for the pieces cannot be merged. Such a text is one of the problems, and the document is partial.
 */
export function stitchAnswers(
  pieces: readonly PieceReading[],
  whole: WholeDocument,
  receivedAtMs: number,
): AnswerReading {
  const texts = pieces.map((piece) => ({ ...piece, markdown: piece.reading.data.markdown ?? '' }))
  const { markdown, toWhole } = stitchMarkdown(texts, whole)
  /** Values of a field, from the pieces that have it. */
  const each = <T>(of: (data: ParsedData, piece: PieceReading, index: number) => T | null | undefined): T[] =>
    pieces.map((piece, index) => of(piece.reading.data, piece, index) ?? null).filter((value) => value !== null)
  const joined = {
    markdown: each((of) => of.markdown).length > 0 ? markdown : null,
    pages: flat(each((of, piece) => of.pages?.map((page) => pageOfWhole(page, piece)))),
    blocks: flat(each((of, piece, index) => of.blocks?.map((page) => blocksOfWhole(page, piece, toWhole[index])))),
    html: joinedBy(
      '\n',
      each((of) => of.html),
    ),
    rawHtml: joinedBy(
      '\n',
      each((of) => of.rawHtml),
    ),
    summary: joinedBy(
      '\n\n',
      each((of) => of.summary),
    ),
    links: once(each((of) => of.links)),
    images: once(each((of) => of.images)),
    json: oneOrAll(each((of) => of.json)),
    sluice: extensionsOfWhole(pieces),
    warning: joinedBy(
      '; ',
      pieces.flatMap((piece) => saidOf(piece, piece.reading.data.warning)),
    ),
  }
  const present = Object.fromEntries(Object.entries(joined).filter(([, value]) => value !== null))
  const metadata = metadataOf(pieces, whole)
  const stitched = readData({ ...pieces[0]?.reading.data, ...present, metadata }, receivedAtMs)
  const dropped = pieces.reduce((sum, { reading }) => sum + reading.spans.dropped, stitched.spans.dropped)
  // Plain text fits every unit, so a piece that fits another unit than ours reveals the service's.
  const units = pieces.map(({ reading }) => reading.spans.unit).filter((known) => known !== null)
  const unit = units.find((other) => other !== 'utf16') ?? units[0] ?? null
  return { ...stitched, problems: [...stitched.problems, ...writtenApart(pieces)], spans: { unit, dropped } }
}

/** Grades of the pages of all pieces, numbered as in the document; null if one piece has none. */
function extensionsOfWhole(pieces: readonly PieceReading[]): Extensions | null {
  const [first] = pieces
  if (first?.reading.extensions === null || first === undefined) return null
  const pages = pieces.flatMap(({ reading, firstPage }) =>
    (reading.extensions?.pageGrades ?? []).map((page) => ({ ...page, pageNumber: page.pageNumber + firstPage - 1 })),
  )
  return extensionsFrom(pages, first.reading.extensions.engine)
}

const pageOfWhole = (page: ParsedPage, { firstPage }: PieceReading): ParsedPage => ({
  ...page,
  pageNumber: page.pageNumber + firstPage - 1,
})

function blocksOfWhole(
  page: BlockPage,
  { firstPage }: PieceReading,
  toWhole: (offset: number) => number = (offset) => offset,
): BlockPage {
  const pageNumber = page.pageNumber + firstPage - 1
  const items = page.items.map((block): Block => ({
    ...block,
    id: idOfWhole(block.id, pageNumber, firstPage),
    markdownSpan: block.markdownSpan && [toWhole(block.markdownSpan[0]), toWhole(block.markdownSpan[1])],
  }))
  return { ...page, pageNumber, items }
}

/** `p<page>.b<index>` (contract). An id of another form gets its page as prefix, so that no two pieces share one. */
function idOfWhole(id: string, pageNumber: number, firstPage: number): string {
  const numbered = /^p(\d+)(\..*)$/.exec(id)
  return numbered === null ? `p${pageNumber}.${id}` : `p${Number(numbered[1]) + firstPage - 1}${numbered[2]}`
}

/** The first piece decides the fields that pieces disagree in: it has the title page. */
function metadataOf(pieces: readonly PieceReading[], { totalPages }: WholeDocument): ParsedMetadata {
  const each = pieces.map(({ reading }) => reading.data.metadata ?? {})
  const credits = pieces.map(({ reading }) => reading.creditsReported)
  const queuedMs = each.map(({ concurrencyQueueDurationMs: waited }) => (typeof waited === 'number' ? waited : 0))
  const errors = pieces.flatMap((piece) => saidOf(piece, piece.reading.data.metadata?.error))
  return {
    ...Object.assign({}, ...each.toReversed()),
    numPages: total(pieces.map(({ reading, firstPage, lastPage }) => reading.pages.parsed ?? lastPage - firstPage + 1)),
    totalPages,
    ...(credits.every((used) => used !== null) ? { creditsUsed: total(credits) } : { creditsUsed: null }),
    ...(total(queuedMs) > 0 ? { concurrencyLimited: true, concurrencyQueueDurationMs: total(queuedMs) } : {}),
    ...(errors.length > 0 ? { error: errors.join('; ') } : {}),
  } as ParsedMetadata
}

/** Names the fields that a model wrote, which cannot be merged. */
function writtenApart(pieces: readonly PieceReading[]): string[] {
  if (pieces.length === 1) return []
  const written = (['json', 'summary'] as const).filter((field) =>
    pieces.some(({ reading }) => (reading.data[field] ?? null) !== null),
  )
  return written.map(
    (field) =>
      `${field} was generated for each of the ${pieces.length} pieces of the document, not for the complete document`,
  )
}

const saidOf = ({ firstPage, lastPage }: PieceReading, said: string | null | undefined): string[] =>
  said === undefined || said === null || said.trim() === '' ? [] : [`pages ${firstPage} to ${lastPage}: ${said}`]

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
const joinedBy = (between: string, texts: readonly string[]): string | null =>
  texts.length === 0 ? null : texts.join(between)
const flat = <T>(lists: readonly (readonly T[])[]): T[] | null => (lists.length === 0 ? null : lists.flat())
const once = (lists: readonly (readonly string[])[]): string[] | null => flat(lists) && [...new Set(lists.flat())]
const oneOrAll = (values: readonly unknown[]): unknown => (values.length < 2 ? (values[0] ?? null) : values)

/** Markdown of consecutive pages, parsed separately. */
export interface MarkdownPart {
  readonly markdown: string
  readonly firstPage: number
  readonly lastPage: number
}

export interface StitchedMarkdown {
  readonly markdown: string
  /**
   * For each part: maps an offset in its Markdown to the offset of the same character in the document, both in UTF-16
   * units.
   */
  readonly toWhole: readonly ((offset: number) => number)[]
}

/** Contract, `pageMarkers`: announces the next page. Only its number may change. */
const PAGE_MARKER = /(?<=\n\n---\n\n<!-- page )(\d+)(?= -->\n\n)/g

const pageMarker = (page: number): string => `\n\n---\n\n<!-- page ${page} -->\n\n`

/**
 * Joins the Markdown of parts: with a blank line, or with the marker of the next page. Markers within parts get the
 * page number of the document; all other text stays unchanged.
 */
export function stitchMarkdown(
  parts: readonly MarkdownPart[],
  { pageMarkers }: { readonly pageMarkers: boolean },
): StitchedMarkdown {
  let markdown = ''
  const toWhole = parts.map((part, index) => {
    const { text, shift } = pageMarkers ? renumbered(part) : { text: part.markdown, shift: () => 0 }
    if (index > 0 && pageMarkers) markdown += pageMarker(part.firstPage)
    else if (markdown !== '' && text !== '') markdown += toBlankLine(markdown)
    const start = markdown.length
    markdown += text
    return (offset: number) => start + offset + shift(offset)
  })
  return { markdown, toWhole }
}

/** Line breaks needed for a blank line after this text. */
const toBlankLine = (text: string): string => '\n'.repeat(Math.max(0, 2 - (/\n*$/.exec(text)?.[0].length ?? 0)))

/**
 * Renumbers the page markers of a part. Text of the document may look like a marker. A real marker counts upwards and
 * stays within the part.
 */
function renumbered({ markdown, firstPage, lastPage }: MarkdownPart): {
  readonly text: string
  readonly shift: (offset: number) => number
} {
  const shifts: { readonly from: number; readonly by: number }[] = []
  let last = 1
  let by = 0
  const text = markdown.replace(PAGE_MARKER, (digits, _, at: number) => {
    const page = Number(digits)
    if (page <= last || page > lastPage - firstPage + 1) return digits
    last = page
    const ours = String(page + firstPage - 1)
    by += ours.length - digits.length
    shifts.push({ from: at + digits.length, by })
    return ours
  })
  return { text, shift: (offset) => shifts.findLast(({ from }) => from <= offset)?.by ?? 0 }
}
