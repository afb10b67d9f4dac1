/** Separators of exports, the most common first. */
const SEPARATORS = [',', ';', '\t', '|'] as const

/** First line of a file for Excel, which names its separator. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i

/** Removes such a line. */
export const withoutSeparatorLine = (text: string): string => text.replace(SEPARATOR_LINE, '')

/**
 * Returns the separator that the file names. Otherwise returns the separator whose count is equal, and highest, in the
 * most lines of a sample.
 */
export function separatorOf(sample: string): string {
  const named = SEPARATOR_LINE.exec(sample)?.[1]
  if (named !== undefined) return named
  const lines = sample
    .split(/\r?\n/)
    .slice(0, 50)
    .filter((line) => line !== '')
  const scores = SEPARATORS.map((separator) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(separator).length - 1)
    const typical = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0
    return typical === 0 ? 0 : counts.filter((count) => count === typical).length * typical
  })
  return SEPARATORS[scores.indexOf(Math.max(...scores))] ?? ','
}

/** Incremental parser for separated values (RFC 4180). It yields each row once it is complete. */
export class CsvRows {
  readonly #separator: string
  #row: string[] = []
  #field = ''
  #isQuoted = false
  /** A quote inside quotes ends them, or is the first of an escaped pair. */
  #sawQuote = false

  constructor(separator: string) {
    this.#separator = separator
  }

  *read(text: string): Generator<string[]> {
    let start = 0
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at]
      if (this.#sawQuote) {
        this.#sawQuote = false
        if (character === '"') continue
        this.#isQuoted = false
        start = at
      }
      if (this.#isQuoted) {
        if (character !== '"') continue
        // The next character decides. The second quote of a pair remains.
        this.#field += text.slice(start, at)
        start = at + 1
        this.#sawQuote = true
      } else if (character === '"' && at === start && this.#field === '') {
        this.#isQuoted = true
        start = at + 1
      } else if (character === this.#separator) {
        this.#row.push(this.#field + text.slice(start, at))
        this.#field = ''
        start = at + 1
      } else if (character === '\n') {
        yield this.#complete(text.slice(start, at))
        start = at + 1
      }
    }
    if (!this.#sawQuote) this.#field += text.slice(start)
  }

  /** Yields the last row if no line break ended it. */
  *end(): Generator<string[]> {
    if (this.#field !== '' || this.#row.length > 0) yield this.#complete('')
  }

  #complete(rest: string): string[] {
    const row = [...this.#row, (this.#field + rest).replace(/\r$/, '')]
    this.#row = []
    this.#field = ''
    return row
  }
}
