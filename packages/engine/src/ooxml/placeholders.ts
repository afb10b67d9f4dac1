import { asCell } from '../markup/escape-markdown.ts'

/** Markdown replacement for a construct that the office library would drop, in two forms. */
export interface Insertion {
  /** Separate block. Null for a construct that is always inline. */
  readonly block: string | null
  /** Within a line, or within a table cell. */
  readonly inline: string
  /** Follows the block, list or table that contains the construct. */
  readonly aside?: string
}

/** Noncharacters of Unicode. XML allows them, and no document uses them. The next two mark slides and chapters. */
const [OPEN, CLOSE] = ['\ufdd0', '\ufdd1']
const MARKS = /[\ufdd0-\ufdd3]/g
const TOKEN = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g')
const ALONE = new RegExp(`^((?: {1,}|> ?|(?:[-*+]|\\d+\\.) (?=[ \\-*+\\d]))*)${OPEN}(\\d+)${CLOSE}\\s*$`)

const FENCE = /^\s*(?:```|~~~)/

/** Tokens inserted into a document before the library parses it, and their replacements in the Markdown. */
export class Placeholders {
  readonly #insertions: Insertion[] = []

  get isEmpty(): boolean {
    return this.#insertions.length === 0
  }

  /** Returns the token for an insertion. */
  add(insertion: Insertion): string {
    this.#insertions.push(insertion)
    return `${OPEN}${this.#insertions.length - 1}${CLOSE}`
  }

  /** Removes these characters from the document, so that they never match a token. */
  static clean(text: string): string {
    return text.replace(MARKS, '')
  }

  /** Replaces the tokens. Appends blocks whose token the library dropped, so that no text is lost. */
  expand(markdown: string): string {
    const seen = new Set<number>()
    const lines = markdown.split('\n')
    const written: string[] = []
    const asides: string[] = []
    let isFenced = false
    for (const [index, line] of lines.entries()) {
      if (FENCE.test(line)) isFenced = !isFenced
      const isBoundary = line === '' && !isFenced && !/^\s/.test(lines[index + 1] ?? '')
      if (isBoundary) written.push(...asides.splice(0).flatMap((aside) => ['', aside]))
      written.push(this.#expandLine(line, seen, asides))
    }
    const lost = this.#insertions.filter((_, index) => !seen.has(index))
    const rest = lost.flatMap(({ block, inline, aside = '' }) => [block ?? inline, aside])
    return [written.join('\n'), ...asides, ...rest.filter((text) => text !== '')].join('\n\n')
  }

  #expandLine(line: string, seen: Set<number>, asides: string[]): string {
    const alone = ALONE.exec(line)
    const block = alone === null ? null : (this.#insertions[Number(alone[2])]?.block ?? null)
    if (alone !== null && block !== null) {
      seen.add(Number(alone[2]))
      const indent = alone[1] ?? ''
      return block.replace(/^/gm, indent)
    }
    const inCell = line.startsWith('|')
    return line.replace(TOKEN, (_, number: string) => {
      seen.add(Number(number))
      const { inline = '', aside } = this.#insertions[Number(number)] ?? {}
      if (aside !== undefined) asides.push(aside)
      return inCell ? asCell(inline) : inline
    })
  }
}
