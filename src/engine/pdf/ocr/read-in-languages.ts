import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import type { CpuBudget } from './cpu-budget.ts'
import type { OcrLanguages } from './ocr-languages.ts'
import { type OcrOutcome, type OcrRequest, recognisePage } from './recognise-page.ts'
import { LEAST_WORDS_OF_OTHER, writtenAmong, writtenLanguages } from './written-language.ts'

export interface ReadInLanguages {
  readonly outcome: OcrOutcome
  /** English names of the page's languages that OCR has no data for. */
  readonly lacking: readonly string[]
}

/** With the data of its language a page reads with at least this much of the confidence that it had without. */
const NOT_WORSE = 0.95

/**
 * Reads the picture of a page in the languages that it is written in: in those of its native text or of the page before
 * it first, and once more where others are detected in what came out, or where it leaves open in which of several languages of
 * the settings it is. `newBudget` limits a second pass.
 */
export async function readInLanguages(
  request: Omit<OcrRequest, 'data'>,
  languages: OcrLanguages,
  newBudget: () => CpuBudget,
): Promise<ReadInLanguages> {
  const native = writtenLanguages(textOf(request.page.textItems))
  const begun = await languages.dataFor(native)
  const first = await recognisePage({ ...request, data: begun.data })
  if (first.kind !== 'read' || !first.complete) return { outcome: first, lacking: [] }
  const text = textOf(recognisedItems(first.page))
  const written = writtenIn(text, languages.named)
  // Where nothing shows in which of several languages of the settings a page is, it is read in all of them.
  const open = written.length === 0 && languages.named.length > 1 && /\p{L}/u.test(text) ? languages.named : []
  if (written.length === 0 && open.length === 0) return { outcome: first, lacking: [] }
  const { data, lacking } = await languages.dataFor([...written, ...open])
  const isCovered = data.languages.every((code) => begun.data.languages.includes(code))
  if (written.length > 0) languages.remember(data)
  const known = written.length > 0 ? lacking : []
  if (isCovered) return { outcome: first, lacking: known }
  const again = await recognisePage({ ...request, data, budget: newBudget() })
  const isBetter = again.kind === 'read' && again.complete && again.score >= NOT_WORSE * first.score
  return { outcome: isBetter ? again : first, lacking: known }
}

/** English names of the languages of a text: `named` are those of the settings. */
function writtenIn(text: string, named: readonly string[]): string[] {
  if (named.length === 0) return writtenLanguages(text)
  return [...new Set([...writtenLanguages(text, LEAST_WORDS_OF_OTHER), ...writtenAmong(text, named)])]
}

const recognisedItems = (page: ParsedPage): TextItem[] => page.textItems.filter((item) => item.confidence !== undefined)

const textOf = (items: readonly TextItem[]): string => items.map(({ text }) => text).join(' ')
