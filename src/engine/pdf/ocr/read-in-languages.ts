import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { lettersIn } from '../letters.ts'
import type { CpuBudget } from './cpu-budget.ts'
import { hasIdeographs } from '../layout/ideographs.ts'
import type { OcrLanguages } from './ocr-languages.ts'
import { type OcrOutcome, type OcrReading, type OcrRequest, recognisePage } from './recognise-page.ts'
import { LEAST_WORDS_OF_OTHER, writtenAmong, writtenLanguages } from './written-language.ts'

export interface ReadInLanguages {
  readonly outcome: OcrOutcome
  /** English names of the page's languages that OCR has no data for. */
  readonly lacking: readonly string[]
}

/** With the data of its language a page reads with at least this much of the confidence that it had without. */
const NOT_WORSE = 0.95
/** Print in another script is read with less confidence than this, and gives so many letters at least. */
const OTHER_SCRIPT = 0.5
const LEAST_LETTERS = 100
/** In its own script it is read with so much more. */
const GAIN = 0.15

/**
 * Reads the picture of a page in the languages that it is written in: in those of its native text or of the page before
 * it first, and once more where others are detected in what came out, where that is no text of any, or where it leaves open in
 * which of several languages of the settings it is. `newBudget` limits a second pass.
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
  const inOtherScript = written.length === 0 && looksLikeOtherScript(first)
  // Where nothing shows in which of several languages of the settings a page is, it is read in all of them.
  const open = written.length === 0 && languages.named.length > 1 && /\p{L}/u.test(text) ? languages.named : []
  if (written.length === 0 && open.length === 0 && !inOtherScript) return { outcome: first, lacking: [] }
  const { data, lacking } = await languages.dataFor(inOtherScript ? ['Chinese'] : [...written, ...open])
  const isCovered = data.languages.every((code) => begun.data.languages.includes(code))
  if (written.length > 0) languages.remember(data)
  const known = written.length > 0 ? lacking : []
  // A page in another script than Latin may be in any: without data its language is not known.
  if (isCovered || (inOtherScript && lacking.length > 0)) return { outcome: first, lacking: known }
  const again = await recognisePage({ ...request, data, budget: newBudget() })
  const isBetter =
    again.kind === 'read' && again.complete && (inOtherScript ? isInIt(again, first) : isNotWorse(again, first))
  if (inOtherScript && isBetter) languages.remember(data)
  return { outcome: isBetter ? again : first, lacking: known }
}

/** English names of the languages of a text: `named` are those of the settings. */
function writtenIn(text: string, named: readonly string[]): string[] {
  if (named.length === 0) return writtenLanguages(text)
  return [...new Set([...writtenLanguages(text, LEAST_WORDS_OF_OTHER), ...writtenAmong(text, named)])]
}

const looksLikeOtherScript = ({ page, confidence }: OcrReading): boolean =>
  confidence.mean < OTHER_SCRIPT && lettersIn(recognisedItems(page)) >= LEAST_LETTERS

const isNotWorse = (again: OcrReading, first: OcrReading): boolean => again.score >= NOT_WORSE * first.score

const isInIt = (again: OcrReading, first: OcrReading): boolean =>
  again.confidence.mean >= first.confidence.mean + GAIN && hasIdeographs(textOf(recognisedItems(again.page)))

const recognisedItems = (page: ParsedPage): TextItem[] => page.textItems.filter((item) => item.confidence !== undefined)

const textOf = (items: readonly TextItem[]): string => items.map(({ text }) => text).join(' ')
