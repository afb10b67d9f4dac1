import type { PiiEntity, PiiSpan } from './pii-span.ts'

/** A match of a pattern: its span and its text. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Returns the matches of a pattern with the flags `gd`: the group `value` if the pattern has one, else the complete
 * match.
 */
export function matchesOf(text: string, pattern: RegExp): Match[] {
  return [...text.matchAll(pattern)].map((match) => {
    const [start, end] = match.indices?.groups?.['value'] ??
      match.indices?.[0] ?? [match.index, match.index + match[0].length]
    return { start, end, text: text.slice(start, end) }
  })
}

export function asSpans(matches: readonly Match[], entity: PiiEntity): PiiSpan[] {
  return matches.map(({ start, end }) => ({ start, end, entity }))
}

const URL_PATTERN = /\b(?:https?|ftp):\/\/[^\s<>()\]"'`]+/dg

/** Returns the URLs in a text. A number inside one is part of a path, not a telephone or a card. */
export function urlsIn(text: string): Match[] {
  return matchesOf(text, URL_PATTERN)
}

/** Replaces Markdown's marks and URLs with spaces, which keeps offsets. */
export function withoutMarkup(text: string): string {
  const blank = (part: string): string => ' '.repeat(part.length)
  return text.replace(URL_PATTERN, blank).replace(/[*_`[\]()#>|\\~]/g, ' ')
}
