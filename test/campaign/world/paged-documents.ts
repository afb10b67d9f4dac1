import { buildPdf, text } from '../../support/build-pdf.ts'
import type { Kind } from './archive.ts'

/*
 * The PDFs of a campaign with routing: each page names itself, and says how the engine grades it and whether the service
 * can read it. The marks stay readable in the bytes of a PDF that was cut.
 */

export interface PageMark {
  /** Of the document, unique in a campaign's run: `d12`. */
  readonly document: string
  /** 1-based. */
  readonly page: number
  /** `d12.p3` */
  readonly name: string
  readonly kind: Kind
  /** 0 to 1. */
  readonly grade: number
  /** Whether the service refuses every request that holds this page. */
  readonly isBroken: boolean
}

export type DrawnPage = Pick<PageMark, 'grade' | 'isBroken'>

const MARK = /\((d\d+)\.p(\d+) (good|hard|rejected|poison) (\d\.\d+) (whole|broken)\)/g

export function pagedPdf(document: string, kind: Kind, pages: readonly DrawnPage[]): Buffer {
  return buildPdf(
    pages.map(({ grade, isBroken }, index) => {
      const mark = `${document}.p${index + 1} ${kind} ${grade.toFixed(4)} ${isBroken ? 'broken' : 'whole'}`
      return { content: text(72, 100, mark) }
    }),
  )
}

/** The pages of a PDF of the campaign, in order; none for any other file. */
export function marksIn(bytes: Uint8Array): readonly PageMark[] {
  const marks = [...Buffer.from(bytes).toString('latin1').matchAll(MARK)].map(
    ([, document = '', page, kind, grade, state]): PageMark => ({
      document,
      page: Number(page),
      name: `${document}.p${page}`,
      kind: kind as Kind,
      grade: Number(grade),
      isBroken: state === 'broken',
    }),
  )
  return marks.toSorted((a, b) => a.page - b.page)
}

export const engineText = ({ name }: PageMark): string => `The engine read ${name}.`

export const boughtText = ({ name }: PageMark): string => `Bought ${name} at the service.`

/** Names of the pages that a service's answer is for. */
export const pagesBought = (answer: string): readonly string[] =>
  [...answer.matchAll(/Bought (d\d+\.p\d+) at/g)].map(([, name = '']) => name)
