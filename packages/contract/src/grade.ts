/** Components of a grade, each from 0 to 1 (best); null if the page lacks the component. */
export interface GradeComponents {
  /** Native text: letters with a meaning, words that show ink, a text layer that agrees with the picture. */
  readonly textLayer: number | null
  /** Confidence of the OCR in its text. */
  readonly ocr: number | null
  /** Share of the text in blocks that overlap no other block. Not part of the grade. */
  readonly layout: number | null
  /** Share of table cells that hold text. Not part of the grade. */
  readonly tables: number | null
  /** Share of the text-like ink under a word. */
  readonly unreadInk: number | null
  /** Share of recognised letters in tokens with the structure of words of a language. */
  readonly language: number | null
}

export interface PageGrade {
  /** 1-based. */
  readonly pageNumber: number
  /** Estimated probability that nine of ten words of the page are right, 0 to 1. */
  readonly grade: number
  /** Expected F1 of its words, 0 to 1; null if the engine gives none. */
  readonly expected: number | null
  readonly components: GradeComponents
}

/** Reading quality of a document. */
export interface DocumentGrade {
  /** Mean over its pages, 0 to 1. */
  readonly grade: number
  /** Lowest grade of its pages, 0 to 1. */
  readonly lowest: number
  /** Mean of each component over the pages that have it. */
  readonly components: GradeComponents
  /** Version of the engine that computed the grade: grades of different versions do not compare. */
  readonly engine: string
}

const COMPONENTS = ['textLayer', 'ocr', 'layout', 'tables', 'unreadInk', 'language'] as const

/** Aggregates the grades of pages; null without pages. */
export function documentGrade(pages: readonly PageGrade[], engine: string): DocumentGrade | null {
  if (pages.length === 0) return null
  const grades = pages.map(({ grade }) => grade)
  const components = Object.fromEntries(
    COMPONENTS.map((name) => [name, meanOf(pages.flatMap((page) => page.components[name] ?? []))]),
  ) as unknown as GradeComponents
  return { grade: meanOf(grades) ?? 0, lowest: grades.reduce((a, b) => Math.min(a, b)), components, engine }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : rounded(values.reduce((sum, value) => sum + value, 0) / values.length)
}

/** Rounds to three decimals, the precision of a grade. */
export function rounded(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000
}
