import type { Span } from './chunk.ts'

const SENTENCE_END = /[.!?…]+["'”’»)\]*_]*\s+|[。！？]+["'”’）」』]*\s*|(?: {2}|\\)\n/g

/** Abbreviations before a full stop inside a sentence: `Dr.`, `No.`, `e.g.`, initials. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}\p{Ll}{0,2}|\p{L}(?:\.\p{L})+|\d+|vs|cf|pp|approx)\.$/u

/** Ranges of sentences without the white space between them. */
export function sentenceRanges(text: string, start: number, end: number): readonly Span[] {
  const spans: Span[] = []
  let from = start
  SENTENCE_END.lastIndex = start
  for (let match = SENTENCE_END.exec(text); match !== null; match = SENTENCE_END.exec(text)) {
    const next = match.index + match[0].length
    if (next >= end) break
    if (!endsSentence(text, match.index, next)) continue
    spans.push([from, trimmedEnd(text, from, next)])
    from = next
  }
  spans.push([from, end])
  return spans.filter(([first, last]) => last > first)
}

function endsSentence(text: string, at: number, next: number): boolean {
  if (JOINS_BEFORE.test(text.slice(next, next + 2))) return false
  if (text[at] !== '.') return true
  if (/\p{Ll}/u.test(text[next] ?? '')) return false
  return !ABBREVIATION.test(text.slice(Math.max(0, at - 12), at + 1))
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && /\s/.test(text[at - 1] ?? '')) at -= 1
  return at
}

/** A run without white space; in scripts without spaces, one character with its marks. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}](?:\p{M}|\u200d)*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu

/** A mark belongs to the character before it, even to a space. */
const JOINS_BEFORE = /^[\p{M}\u200d]/u

/** Characters that belong to the next one (Unicode: Prepend). */
const JOINS_NEXT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}\u{111c2}\u{111c3}]$/u

export function wordRanges(text: string, start: number, end: number): readonly Span[] {
  const spans: Span[] = []
  for (const match of text.slice(start, end).matchAll(WORD)) {
    const [from, to] = [start + match.index, start + match.index + match[0].length]
    const previous = spans.at(-1)
    const joins =
      previous !== undefined &&
      (JOINS_BEFORE.test(match[0]) || (previous[1] === from && JOINS_NEXT.test(text.slice(from - 2, from))))
    if (joins) spans[spans.length - 1] = [previous[0], to]
    else spans.push([from, to])
  }
  return spans
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Window of the segmenter in UTF-16 units: its time grows with the length of its text. */
const WINDOW = 1024

/** Length in UTF-16 units at which a character exceeds any limit. */
const LONGEST_CHARACTER = 64 * WINDOW

/**
 * Ranges of about `size` units that end between two grapheme clusters; a single long cluster is cut between code
 * points.
 */
export function characterRanges(text: string, start: number, end: number, size: number): readonly Span[] {
  const bounds = [...graphemeBounds(text, start, end)]
  if (bounds.length === 1) return codePointRanges(text, start, end)
  const spans: Span[] = []
  let from = start
  for (const [index, bound] of bounds.entries()) {
    const next = bounds[index + 1]
    if (next !== undefined && next - from <= size) continue
    spans.push([from, bound])
    from = bound
  }
  return spans
}

/** Ends of the grapheme clusters; the last one is `end`. */
function* graphemeBounds(text: string, start: number, end: number): Generator<number> {
  let from = start
  let size = WINDOW
  while (from < end) {
    const upTo = windowEnd(text, from, Math.min(end, from + size))
    const lengths = [...GRAPHEMES.segment(text.slice(from, upTo))].map(({ segment }) => segment.length)
    // The last cluster of a window may continue after it.
    if (upTo < end && (lengths.length > 1 || size < LONGEST_CHARACTER)) lengths.pop()
    size = lengths.length === 0 ? size * 2 : WINDOW
    for (const length of lengths) yield (from += length)
  }
}

/** Half of a surrogate pair has no properties: at the end of a window it would separate from its cluster. */
function windowEnd(text: string, from: number, upTo: number): number {
  const last = text.charCodeAt(upTo - 1)
  const isSplit = upTo < text.length && upTo - 1 > from && last >= 0xd800 && last < 0xdc00
  return isSplit ? upTo - 1 : upTo
}

function codePointRanges(text: string, start: number, end: number): readonly Span[] {
  const spans: Span[] = []
  for (let at = start; at < end;) {
    const next = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    spans.push([at, next])
    at = next
  }
  return spans
}
