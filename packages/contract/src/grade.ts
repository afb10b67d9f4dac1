/** What a grade is made of, each 0 to 1, 1 being the best; null for what a page does not have. */
export interface GradeComponents {
  /** Native text: letters with a meaning, words that show ink, a layer that agrees with the picture. */
  readonly textLayer: number | null
  /** What the OCR thought of the text that it recognised. */
  readonly ocr: number | null
  /** Share of the text in blocks that overlap no other. No part of the grade. */
  readonly layout: number | null
  /** Share of the cells of tables that hold text. No part of the grade. */
  readonly tables: number | null
  /** Share of the text-like ink that lies under a word. */
  readonly unreadInk: number | null
  /** Share of recognised letters in tokens built like words of a language. */
  readonly language: number | null
}

export interface PageGrade {
  /** 1-based. */
  readonly pageNumber: number
  /** Estimated probability that nine of ten words of the page came out right, 0 to 1. */
  readonly grade: number
  /** Expected F1 of its words, 0 to 1; null where the engine does not say it. */
  readonly expected: number | null
  readonly components: GradeComponents
}

/** How well a document was read. */
export interface DocumentGrade {
  /** Mean over its pages, 0 to 1. */
  readonly grade: number
  /** The lowest of its pages, 0 to 1. */
  readonly lowest: number
  /** Mean of each component over the pages that have it. */
  readonly components: GradeComponents
  /** Which engine graded it: grades of different versions do not compare. */
  readonly engine: string
}

const COMPONENTS = ['textLayer', 'ocr', 'layout', 'tables', 'unreadInk', 'language'] as const

/** The grade of a document from those of its pages; null without pages. */
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

/** Three decimals: a grade is no more exact than that. */
export function rounded(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000
}
