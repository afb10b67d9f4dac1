import type { DocumentGrade } from '@sluice/contract'

/** Facts in a record about the engine's reading of the document. */
export interface EngineReading {
  /** Absent for formats other than PDF. */
  readonly grade?: DocumentGrade
  readonly problems: readonly string[]
}

/** OCR leaves its confidence in the grade, and a warning if it could not confirm an invisible text layer. */
const isTouchedByOcr = ({ grade, problems }: EngineReading): boolean =>
  (grade?.components.ocr ?? null) !== null || problems.some((problem) => problem.includes('invisible text layer'))

/**
 * Maps an engine version to the documents that it reads differently from its predecessor. An absent version changes all
 * documents.
 */
const CHANGED: Readonly<Record<number, (reading: EngineReading) => boolean>> = { 3: isTouchedByOcr }

/** True if engine version `to` reads a document differently from version `from`. */
export function readsOtherwise(from: number, to: number, reading: EngineReading): boolean {
  for (let version = from + 1; version <= to; version++) {
    if (CHANGED[version]?.(reading) ?? true) return true
  }
  return false
}
