import { gradeOf } from '../grade/grade-page.ts'
import type { PageReading } from './page-reading.ts'

/** A page below this grade is more likely to lack a tenth of its words than not. */
const LEAST_GRADE = 0.5

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
