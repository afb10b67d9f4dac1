import type { OoxmlPackage } from './ooxml-package.ts'
import { wordParagraphs } from './word-text.ts'

/** Text of all headers, then of all footers; each paragraph once, however many sections repeat it. */
export function headersAndFooters(
  ooxml: OoxmlPackage,
  main: string,
): { readonly headers: string[]; readonly footers: string[] } {
  const paragraphs = (kind: string): string[] => [
    ...new Set(
      ooxml.related(main, kind).flatMap((path) => {
        const part = ooxml.xml(path)
        return part === null ? [] : wordParagraphs(part)
      }),
    ),
  ]
  return { headers: paragraphs('header'), footers: paragraphs('footer') }
}
