import { gradeOf } from '../grade/grade-page.ts'
import type { GradedQuality } from '../grade/quality-features.ts'
import { expectedQualityOf } from '../grade/quality-model.ts'
import type { PageProblem } from '../grade/signals.ts'
import type { PageReading } from './page-reading.ts'

/** A page below this grade is more likely to lack a tenth of its words than not. */
const LEAST_GRADE = 0.5
/** F1 of a page's words: 0.9 where a tenth of them was misread, 0.95 where a tenth is missing. */
const LEAST_EXPECTED = 0.92

/**
 * The page as it was read, with a problem where it was recognised without the data of its language, or where nothing else
 * is reported and it is likely to be read badly.
 */
export function withDoubt(reading: PageReading): PageReading {
  if (reading.signals.lackingLanguages.length > 0) {
    return { ...reading, problems: [...reading.problems, 'foreign_language'] }
  }
  if (reading.problems.length > 0 || gradeOf(reading.signals) >= LEAST_GRADE) return reading
  return { ...reading, problems: ['doubtful_text'] }
}

/**
 * The problems of a page that OCR had a part in, with one where nothing else is reported and its words are expected to be
 * worse than nine of ten. What is expected depends on the problems of a page, so this one is not among those it is computed from.
 */
export function withExpectedDoubt({ problems, signals }: GradedQuality): readonly PageProblem[] {
  if (problems.length > 0 || signals.ocr === null) return problems
  return expectedQualityOf({ problems, signals }) < LEAST_EXPECTED ? ['doubtful_text'] : problems
}
