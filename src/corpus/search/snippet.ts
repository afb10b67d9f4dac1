import type { Span } from '#src/corpus/chunks/chunk.ts'
import type { Phrase } from './parse-query.ts'
import { type Term, termsOf } from './terms.ts'

/** Part of a body around the words of a question. */
export interface Snippet {
  /** White space is a single space each. */
  readonly text: string
  /** Ranges of `text` that match, ascending. */
  readonly marks: readonly Span[]
}

/** Length of a snippet in characters. */
const LENGTH = 240

/** Characters of context before the first match. */
const BEFORE = 60

export function snippetOf(body: string, wanted: readonly Phrase[]): Snippet {
  const matches = matchesIn([...termsOf(body)], wanted)
  const [from, to] = windowOf(body, densest(matches))
  return withMarks(
    body,
    matches.filter(([start, end]) => start >= from && end <= to),
    from,
    to,
  )
}

/** Spans of the body that match a phrase, ascending and apart from each other. */
function matchesIn(terms: readonly Term[], wanted: readonly Phrase[]): readonly Span[] {
  const byFirst = Map.groupBy(wanted, ({ terms: [first = ''] }) => first)
  const prefixes = wanted.filter(({ terms: { length }, isPrefix }) => isPrefix && length === 1)
  const found: Span[] = []
  for (const [at, term] of terms.entries()) {
    const candidates = [...(byFirst.get(term.text) ?? []), ...prefixes]
    const lengths = candidates.filter((phrase) => isAt(terms, at, phrase)).map((phrase) => phrase.terms.length)
    if (lengths.length === 0) continue
    const end = terms[at + Math.max(...lengths) - 1]?.end ?? term.end
    const last = found.at(-1)
    if (last === undefined || term.start > last[1]) found.push([term.start, end])
    else found[found.length - 1] = [last[0], Math.max(last[1], end)]
  }
  return found
}

const isAt = (terms: readonly Term[], at: number, { terms: texts, isPrefix }: Phrase): boolean =>
  texts.every((text, offset) => {
    const term = terms[at + offset]?.text
    return isPrefix && offset === texts.length - 1 ? term?.startsWith(text) === true : term === text
  })

/** Start of the window with most matches. */
function densest(matches: readonly Span[]): number {
  let [best, most, last] = [0, 0, 0]
  for (const [at, [start]] of matches.entries()) {
    last = Math.max(last, at)
    while (last < matches.length && (matches[last]?.[1] ?? 0) - start <= LENGTH - BEFORE) last += 1
    if (last - at > most) [best, most] = [start, last - at]
  }
  return best
}

/** Window that cuts no word, if the text has spaces. */
function windowOf(body: string, focus: number): Span {
  const least = Math.max(0, Math.min(focus - BEFORE, body.length - LENGTH))
  const space = least === 0 ? 0 : body.slice(least, focus).search(/\s\S/) + 1
  const from = least + space
  const most = Math.min(body.length, from + LENGTH)
  const end = most === body.length ? most : body.slice(0, most).search(/\s\S*$/)
  return [from, end > focus + BEFORE ? end : most]
}

function withMarks(body: string, matches: readonly Span[], from: number, to: number): Snippet {
  let text = from === 0 ? '' : '… '
  const marks: Span[] = []
  let at = from
  const add = (end: number): void => {
    const part = body.slice(at, end).replaceAll(/\s+/g, ' ')
    text += text.endsWith(' ') ? part.trimStart() : part
    at = end
  }
  for (const [start, end] of matches) {
    add(start)
    const first = text.length
    add(end)
    marks.push([first, text.length])
  }
  add(to)
  return { text: to === body.length ? text.trimEnd() : `${text.trimEnd()} …`, marks }
}
