import { gradeOf } from '../grade/grade-page.ts'
import type { PageReading } from './page-reading.ts'

/** A page below this grade is more likely to lack a tenth of its words than not. */
const LEAST_GRADE = 0.5

/** The page as it was read; one that nothing else reports and that is likely to be read badly gets a problem. */
export function withDoubt(reading: PageReading): PageReading {
  if (reading.problems.length > 0 || gradeOf(reading.signals) >= LEAST_GRADE) return reading
  return { ...reading, problems: ['doubtful_text'] }
}
