import { type Anchor, anchorOf } from './anchor.ts'
import { type DocumentGrade, documentGrade, type GradeComponents, type PageGrade } from './grade.ts'
import { fieldsOf } from './tolerant-data.ts'

/**
 * Request header that adds the field `sluice` to `data` of the answer, beyond the contract. The header is neither a
 * parse option nor part of a recipe: answers with and without the field are the same purchase.
 */
export const EXTENSIONS_HEADER = 'x-sluice-extensions'

/** A block of a document without pages. */
export interface AnchoredBlock {
  /** `b<index in reading order>`. */
  readonly id: string
  /** A member of `BLOCK_TYPES`. */
  readonly type: string
  /** [start, end) in UTF-16 units of `markdown`; this slice is the block. */
  readonly markdownSpan: readonly [start: number, end: number]
  readonly anchor: Anchor
}

/** `data.sluice`: grades for PDF input only, blocks for all other input. */
export interface Extensions {
  readonly engine: string
  readonly grade: DocumentGrade | null
  readonly pageGrades: readonly PageGrade[] | null
  readonly blocks: readonly AnchoredBlock[] | null
}

/** Parses the extensions in an answer's `data`. Returns null if they are absent or unreadable. */
export function extensionsOf(data: Readonly<Record<string, unknown>>): Extensions | null {
  const known = fieldsOf(data.sluice)
  if (known === null) return null
  const engine = typeof known.engine === 'string' ? known.engine : 'unknown'
  const pages = Array.isArray(known.pageGrades) ? known.pageGrades.flatMap((page) => pageGradeOf(page) ?? []) : []
  const blocks = Array.isArray(known.blocks) ? known.blocks.flatMap((block) => anchoredBlockOf(block) ?? []) : []
  return { ...extensionsFrom(pages, engine), blocks: blocks.length === 0 ? null : blocks }
}

/** Builds the extensions from the grades of pages. */
export function extensionsFrom(pageGrades: readonly PageGrade[], engine: string): Extensions {
  const grade = documentGrade(pageGrades, engine)
  return { engine, grade, pageGrades: pageGrades.length === 0 ? null : pageGrades, blocks: null }
}

function anchoredBlockOf(value: unknown): AnchoredBlock | null {
  const known = fieldsOf(value)
  const anchor = anchorOf(known?.anchor)
  if (known === null || anchor === null || typeof known.id !== 'string' || typeof known.type !== 'string') return null
  const [start, end, ...others] = Array.isArray(known.markdownSpan) ? (known.markdownSpan as readonly unknown[]) : []
  const isSpan = isOffset(start) && isOffset(end) && start < end && others.length === 0
  return isSpan ? { id: known.id, type: known.type, markdownSpan: [start, end], anchor } : null
}

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

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
  return { pageNumber: known.pageNumber, grade, expected: shareOf(known.expected), components }
}

function shareOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null
}
