import type { TextItem } from '@llamaindex/liteparse'
import type { PageDrawing } from '../ink/grey-picture.ts'
import { withAccents } from './accents.ts'
import { confidenceOf } from './confidence.ts'
import type { CpuBudget } from './lines/cpu-budget.ts'
import { isReadWhole } from './lines/line-models.ts'
import type { Lines } from './lines/read-lines.ts'
import type { OcrLanguages } from './ocr-languages.ts'
import { readByTesseract } from './read-by-tesseract.ts'
import { MIN_WORDS_OF_OTHER, writtenAmong, writtenLanguages } from './written-language.ts'

/** Threshold of mean confidence. Below it, the models may have read an unknown script. */
const OTHER_SCRIPT = 0.75

export interface ReadingContext {
  readonly languages: OcrLanguages
  readonly budget: CpuBudget
}

export interface SheetReading {
  /** Words with boxes in pixels, low confidence included. */
  readonly items: readonly TextItem[]
  /** English names of languages of the text without OCR data. */
  readonly lacking: readonly string[]
  /** False if the budget ran out before the end. */
  readonly complete: boolean
}

/**
 * Reads a sheet line by line with the models. Tesseract adds most accents, which the models lack, in the detected
 * languages. It also reads the scripts of some languages of the settings.
 */
export async function readByModels(
  sheet: PageDrawing,
  lines: Lines,
  { languages, budget }: ReadingContext,
): Promise<SheetReading> {
  const { items, complete } = await lines.read(budget)
  if (!complete) return { items, lacking: [], complete }
  if (languages.ofOwnData && confidenceOf(items).mean < OTHER_SCRIPT) {
    const { data } = await languages.dataFor([])
    return { items: await readByTesseract(sheet, data), lacking: [], complete }
  }
  const written = writtenIn(items, languages)
  const { data, lacking } = await languages.dataFor(written.length > 0 ? written : languages.named)
  if (written.length > 0) languages.remember(data)
  const known = written.length > 0 ? lacking : []
  const isPlain = written.every((name) => name === 'English') && written.length > 0
  if (isPlain || data.languages.every(isReadWhole)) return { items, lacking: known, complete }
  return { items: withAccents(items, await readByTesseract(sheet, data)), lacking: known, complete }
}

/**
 * Reads a sheet with Tesseract, in the languages of the page's native text or of the settings. Reads it again if it
 * detects others.
 */
export async function readWithoutModels(
  sheet: PageDrawing,
  native: readonly TextItem[],
  { languages }: ReadingContext,
): Promise<SheetReading> {
  const around = writtenLanguages(textOf(native))
  const begun = await languages.dataFor(around.length > 0 ? around : languages.named)
  const items = await readByTesseract(sheet, begun.data)
  const written = writtenIn(items, languages)
  if (written.length === 0) return { items, lacking: [], complete: true }
  const { data, lacking } = await languages.dataFor(written)
  languages.remember(data)
  const isCovered = data.languages.every((code) => begun.data.languages.includes(code))
  return { items: isCovered ? items : await readByTesseract(sheet, data), lacking, complete: true }
}

/** Returns the English names of the languages of recognised text. */
function writtenIn(items: readonly TextItem[], { named }: OcrLanguages): string[] {
  const text = textOf(items)
  if (named.length === 0) return writtenLanguages(text)
  return [...new Set([...writtenLanguages(text, MIN_WORDS_OF_OTHER), ...writtenAmong(text, named)])]
}

const textOf = (items: readonly TextItem[]): string => items.map(({ text }) => text).join(' ')
