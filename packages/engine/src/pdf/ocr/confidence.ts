import type { OcrConfidence } from '../../grade/signals.ts'
import type { TextItem } from '@llamaindex/liteparse'

/** Threshold of confidence. Recognised text below it is a picture. */
const MIN_CONFIDENCE = 0.35
const DOUBTFUL = 0.6
const LOWEST_SHARE = 0.1

/** Rejects specks and rules. OCR reads them as letters with low confidence, or as bars. */
export function isText(item: TextItem): boolean {
  return (item.confidence ?? 1) >= MIN_CONFIDENCE && !/^[|_~=]+$/.test(item.text)
}

export function confidenceOf(items: readonly TextItem[]): OcrConfidence {
  let [letters, sum, doubtful] = [0, 0, 0]
  for (const item of items) {
    const { length } = item.text
    const confidence = item.confidence ?? 0
    letters += length
    sum += confidence * length
    if (confidence < DOUBTFUL) doubtful += length
  }
  if (letters === 0) return { mean: 0, lowest: 0, doubtfulShare: 1 }
  return {
    mean: sum / letters,
    lowest: lowestOf(items, letters * LOWEST_SHARE),
    doubtfulShare: doubtful / letters,
  }
}

/** Returns the percentile of confidence that this many letters do not exceed. */
function lowestOf(items: readonly TextItem[], letters: number): number {
  let below = 0
  for (const { confidence = 0, text } of items.toSorted((a, b) => (a.confidence ?? 0) - (b.confidence ?? 0))) {
    below += text.length
    if (below >= letters) return confidence
  }
  return 0
}

/**
 * Returns the mean confidence times the fraction of horizontal words. Tesseract reads sideways text too, word by word,
 * out of order.
 */
export function scoreOf(items: readonly TextItem[]): number {
  const read = items.filter(isText)
  if (read.length === 0) return 0
  const long = read.filter((item) => item.text.length >= 4)
  const lying = long.filter((item) => item.width > item.height).length
  const { mean } = confidenceOf(read)
  return long.length === 0 ? mean : (mean * lying) / long.length
}
