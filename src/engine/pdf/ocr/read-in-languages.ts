import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import type { OcrLanguages } from './ocr-languages.ts'
import { type OcrOutcome, type OcrRequest, recognisePage } from './recognise-page.ts'
import { writtenLanguages } from './written-language.ts'

export interface ReadInLanguages {
  readonly outcome: OcrOutcome
  /** English names of the page's languages that OCR has no data for. */
  readonly lacking: readonly string[]
}

/** With the data of its language a page reads with at least this much of the confidence that it had without. */
const NOT_WORSE = 0.95

/**
 * Reads the picture of a page in the languages that it is written in: in those of its native text or of the page before
 * it first, and once more where others are detected in what came out.
 */
export async function readInLanguages(
  request: Omit<OcrRequest, 'data'>,
  languages: OcrLanguages,
): Promise<ReadInLanguages> {
  const native = writtenLanguages(textOf(request.page.textItems))
  const begun = await languages.dataFor(native)
  const first = await recognisePage({ ...request, data: begun.data })
  if (first.kind !== 'read') return { outcome: first, lacking: [] }
  const written = writtenLanguages(textOf(recognisedItems(first.page)))
  const { data, lacking } = await languages.dataFor(written)
  if (written.length === 0 || !first.complete) return { outcome: first, lacking }
  languages.remember(data)
  if (data.languages.every((code) => begun.data.languages.includes(code))) return { outcome: first, lacking }
  const again = await recognisePage({ ...request, data })
  const isBetter = again.kind === 'read' && again.complete && again.score >= NOT_WORSE * first.score
  return { outcome: isBetter ? again : first, lacking }
}

const recognisedItems = (page: ParsedPage): TextItem[] => page.textItems.filter((item) => item.confidence !== undefined)

const textOf = (items: readonly TextItem[]): string => items.map(({ text }) => text).join(' ')
