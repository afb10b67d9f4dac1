import { type DocumentGrade, documentGrade, type GradeComponents, type PageGrade } from '#src/document/grade.ts'
import { fieldsOf } from './tolerant-data.ts'

/**
 * A request with this header is answered with one more field in `data`, `sluice`, beyond the contract. It is no parse
 * option and no part of a recipe: an answer with the field and one without are the same purchase.
 */
export const EXTENSIONS_HEADER = 'x-sluice-extensions'

/** `data.sluice`. Grades are there for PDF input only. */
export interface Extensions {
  readonly engine: string
  readonly grade: DocumentGrade | null
  readonly pageGrades: readonly PageGrade[] | null
}

/** The extensions of an answer's `data`; null where it has none, or none that can be read. */
export function extensionsOf(data: Readonly<Record<string, unknown>>): Extensions | null {
  const known = fieldsOf(data.sluice)
  if (known === null) return null
  const engine = typeof known.engine === 'string' ? known.engine : 'unknown'
  const pages = Array.isArray(known.pageGrades) ? known.pageGrades.flatMap((page) => pageGradeOf(page) ?? []) : []
  return extensionsFrom(pages, engine)
}

/** What is said of pages, and of the document that they make. */
export function extensionsFrom(pageGrades: readonly PageGrade[], engine: string): Extensions {
  return { engine, grade: documentGrade(pageGrades, engine), pageGrades: pageGrades.length === 0 ? null : pageGrades }
}

function pageGradeOf(value: unknown): PageGrade | null {
  const known = fieldsOf(value)
  const grade = shareOf(known?.grade)
  if (known === null || grade === null || typeof known.pageNumber !== 'number') return null
  const parts = fieldsOf(known.components) ?? {}
  const components: GradeComponents = {
    textLayer: shareOf(parts.textLayer),
    ocr: shareOf(parts.ocr),
    layout: shareOf(parts.layout),
    tables: shareOf(parts.tables),
    unreadInk: shareOf(parts.unreadInk),
    language: shareOf(parts.language),
  }
  return { pageNumber: known.pageNumber, grade, components }
}

function shareOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null
}
