import { rtfTokens, type RtfToken } from './rtf-tokens.ts'

/** Control words that print a character, in addition to those of paragraph and table structure. */
const PRINTED: ReadonlySet<string> = new Set(['tab', 'line', 'emdash', 'endash', 'bullet', 'lquote', 'rquote'])

/** Removes the text that a revision deleted, which the library shows (RTF 1.9.1, "Track Changes"). */
export function withoutDeletedText(rtf: string): string {
  if (!/\\deleted(?![a-z])/.test(rtf)) return rtf
  let isDeleted = false
  const outer: boolean[] = []
  const kept: string[] = []
  let from = 0
  for (const token of rtfTokens(rtf)) {
    if (token.kind === 'open') outer.push(isDeleted)
    else if (token.kind === 'close') isDeleted = outer.pop() ?? false
    else if (token.kind === 'word' && token.value === 'deleted') isDeleted = token.parameter !== 0
    else if (token.kind === 'word' && token.value === 'plain') isDeleted = false
    if (!isDeleted || !isPrinted(token)) continue
    kept.push(rtf.slice(from, token.start))
    from = token.end
  }
  return kept.join('') + rtf.slice(from)
}

const isPrinted = ({ kind, value }: RtfToken): boolean =>
  kind === 'text' || (kind === 'symbol' && '~-_'.includes(value)) || (kind === 'word' && PRINTED.has(value))
