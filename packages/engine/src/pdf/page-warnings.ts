import type { PageProblem, PageSignals } from '../grade/signals.ts'

/** Warning text per problem, with a remedy if one exists. */
const TEXTS: Readonly<Record<PageProblem, string>> = {
  unreadable: 'could not be read',
  unread_ink: 'show text that was not read',
  doubtful_text: 'were read with low confidence',
  foreign_language: 'are written in LANGUAGE, which OCR has no data for, so its special letters are wrong',
  needs_ocr: 'show text that mode fast does not read; use mode auto',
  ocr_time: 'were not read completely, because OCR ran out of time; set a longer timeout',
  too_large: 'are too large to render, so OCR did not read their pictures',
  unconfirmed_layer: 'have an invisible text layer that OCR of the visible page does not confirm',
}

const MAX_NAMED = 20

interface WarnedPage {
  readonly pageNumber: number
  readonly problems: readonly PageProblem[]
  readonly signals: Pick<PageSignals, 'lackingLanguages'>
}

/** Returns one sentence per problem of the pages, or null. */
export function warningOf(pages: readonly WarnedPage[]): string | null {
  const sentences = (Object.keys(TEXTS) as PageProblem[]).flatMap((problem) => {
    const found = pages.filter(({ problems }) => problems.includes(problem))
    if (found.length === 0) return []
    const languages = [...new Set(found.flatMap(({ signals }) => signals.lackingLanguages))].join(' or ')
    const numbers = found.map(({ pageNumber }) => pageNumber)
    const named = numbers.slice(0, MAX_NAMED).join(', ')
    const more = numbers.length > MAX_NAMED ? ` and ${numbers.length - MAX_NAMED} more` : ''
    return [`These pages ${TEXTS[problem].replace('LANGUAGE', languages)}: ${named}${more}.`]
  })
  return sentences.length === 0 ? null : sentences.join(' ')
}
