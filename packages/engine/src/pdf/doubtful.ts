import { gradeOf } from '../grade/grade-page.ts'
import type { GradedQuality } from '../grade/quality-features.ts'
import { expectedQualityOf } from '../grade/quality-model.ts'
import type { PageProblem } from '../grade/signals.ts'
import type { PageReading } from './page-reading.ts'

/** Threshold of the page grade. A page below it more likely than not lacks a tenth of its words. */
const MIN_GRADE = 0.5
/** Threshold as F1 of a page's words. F1 is 0.9 with a tenth misread, 0.95 with a tenth missing. */
const MIN_EXPECTED = 0.92

/**
 * Adds a problem if OCR lacked the data of the page's language. Adds one also if no other problem exists and the grade
 * is below the threshold.
 */
export function withDoubt(reading: PageReading): PageReading {
  if (reading.signals.lackingLanguages.length > 0) {
    return { ...reading, problems: [...reading.problems, 'foreign_language'] }
  }
  if (reading.problems.length > 0 || gradeOf(reading.signals) >= MIN_GRADE) return reading
  return { ...reading, problems: ['doubtful_text'] }
}

/**
 * Returns the problems of a page that OCR read in part. Adds one if no other exists and the expected F1 is below the
 * threshold. The expected quality depends on the problems of a page, so its input never contains this one.
 */
export function withExpectedDoubt({ problems, signals }: GradedQuality): readonly PageProblem[] {
  if (problems.length > 0 || signals.ocr === null) return problems
  return expectedQualityOf({ problems, signals }) < MIN_EXPECTED ? ['doubtful_text'] : problems
}
