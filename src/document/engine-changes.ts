import type { DocumentGrade } from '@sluice/contract'

/** What a record says of how the embedded engine read its document. */
export interface EngineReading {
  /** Missing for what is no PDF. */
  readonly grade?: DocumentGrade
  readonly problems: readonly string[]
}

/** OCR leaves its confidence in the grade, and a warning where it could not confirm an invisible layer. */
const isTouchedByOcr = ({ grade, problems }: EngineReading): boolean =>
  (grade?.components.ocr ?? null) !== null || problems.some((problem) => problem.includes('invisible text layer'))

/** By version of the engine: which documents it reads otherwise than the version before. All of them where it is not named. */
const CHANGED: Readonly<Record<number, (reading: EngineReading) => boolean>> = { 3: isTouchedByOcr }

/** Whether an engine of version `to` reads a document otherwise than one of version `from` did. */
export function readsOtherwise(from: number, to: number, reading: EngineReading): boolean {
  for (let version = from + 1; version <= to; version++) {
    if (CHANGED[version]?.(reading) ?? true) return true
  }
  return false
}
