import { isPageCount, numberIn } from './plausible.ts'
import type { Block, BlockPage, ParsedData, ParsedPage } from './response.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Sanitizes `data` of an answer for its readers: texts are strings, lists are arrays, numbers are numbers. A field of
 * another type counts as absent (the receipt keeps it); unknown fields stay.
 */
export function tolerantData(data: Fields): ParsedData {
  const warning = Array.isArray(data.warning)
    ? data.warning.filter((one) => typeof one === 'string').join('; ')
    : data.warning
  const texts = ['markdown', 'summary', 'html', 'rawHtml', 'warning'].map((name) => [
    name,
    textOr(name === 'warning' ? warning : data[name], undefined),
  ])
  return {
    ...data,
    ...(Object.fromEntries(texts) as Pick<ParsedData, 'markdown'>),
    pages: listOf(data.pages, page),
    blocks: listOf(data.blocks, blockPage),
    links: listOf(data.links, (link) => (typeof link === 'string' ? link : null)),
    images: listOf(data.images, (image) => (typeof image === 'string' ? image : null)),
    metadata: counted(fieldsOf(data.metadata) ?? {}),
  }
}

export function fieldsOf(value: unknown): Fields | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : null
}

function page(fields: unknown, index: number): ParsedPage | null {
  const known = fieldsOf(fields)
  return (
    known && { ...known, pageNumber: pageNumberOr(known.pageNumber, index + 1), markdown: textOr(known.markdown, '') }
  )
}

function blockPage(fields: unknown, index: number): BlockPage | null {
  const known = fieldsOf(fields)
  if (known === null) return null
  const pageNumber = pageNumberOr(known.pageNumber, index + 1)
  return {
    ...known,
    pageNumber,
    width: numberOr(known.width, null),
    height: numberOr(known.height, null),
    status: textOr(known.status, 'ok'),
    items: listOf(known.items, (item, at) => block(item, at, pageNumber)) ?? [],
  }
}

function block(fields: unknown, index: number, pageNumber: number): Block | null {
  const known = fieldsOf(fields)
  if (known === null) return null
  const confidence = fieldsOf(known.confidence)
  return {
    ...known,
    id: textOr(known.id, `p${pageNumber}.b${index}`),
    type: textOr(known.type, 'text'),
    label: textOr(known.label, null),
    bbox: numbers(known.bbox, 4) as Block['bbox'],
    content: textOr(known.content, ''),
    markdownSpan: numbers(known.markdownSpan, 2) as Block['markdownSpan'],
    readingOrder: numberOr(known.readingOrder, index),
    source: textOr(known.source, null),
    confidence: { ...confidence, layout: numberOr(confidence?.layout, null), ocr: numberOr(confidence?.ocr, null) },
  }
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)

/** Drops impossible page counts. */
function counted({ numPages: parsed, totalPages: total, ...others }: Fields): Fields {
  const [numPages, totalPages] = [numberIn(parsed), numberIn(total)]
  return { ...others, ...(isPageCount(numPages) && { numPages }), ...(isPageCount(totalPages) && { totalPages }) }
}

const pageNumberOr = (value: unknown, otherwise: number): number =>
  isPageCount(value) && value > 0 ? value : otherwise

function numberOr<T>(value: unknown, otherwise: T): number | T {
  return isFiniteNumber(value) ? value : otherwise
}

function numbers(value: unknown, length: number): readonly number[] | null {
  if (!Array.isArray(value) || value.length !== length) return null
  return value.every(isFiniteNumber) ? value : null
}

/** Parses a list; null if the value is not one. Drops items that `read` cannot parse. */
function listOf<T>(value: unknown, read: (item: unknown, index: number) => T | null): readonly T[] | null {
  return Array.isArray(value) ? value.map(read).filter((item) => item !== null) : null
}
