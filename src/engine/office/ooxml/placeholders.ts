import { asCell } from '../escape-markdown.ts'

/** What stands for a construct that the office library would drop. Both are Markdown. */
export interface Insertion {
  /** As its own block; null for what always stands within a line. */
  readonly block: string | null
  /** Within a line, a table cell among them. */
  readonly inline: string
}

/** Noncharacters of Unicode: XML allows them, no document uses them. */
const [OPEN, CLOSE] = ['\ufdd0', '\ufdd1']
const MARKS = /[\ufdd0\ufdd1]/g
const TOKEN = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g')
const ALONE = new RegExp(`^((?: {1,}|> ?|(?:[-*+]|\\d+\\.) (?=[ \\-*+\\d]))*)${OPEN}(\\d+)${CLOSE}\\s*$`)

/** Tokens that are put into a document before it is read, and what they become in its Markdown. */
export class Placeholders {
  readonly #insertions: Insertion[] = []

  get isEmpty(): boolean {
    return this.#insertions.length === 0
  }

  /** Text that marks the place of the insertion. */
  add(insertion: Insertion): string {
    this.#insertions.push(insertion)
    return `${OPEN}${this.#insertions.length - 1}${CLOSE}`
  }

  /** Marks that a document holds by itself would be taken for ours. */
  static clean(text: string): string {
    return text.replace(MARKS, '')
  }

  /** Blocks whose token the library dropped come at the end, so that nothing is lost. */
  expand(markdown: string): string {
    const seen = new Set<number>()
    const lines = markdown.split('\n').map((line) => this.#expandLine(line, seen))
    const lost = this.#insertions.filter((_, index) => !seen.has(index)).map(({ block, inline }) => block ?? inline)
    return [lines.join('\n'), ...lost.filter((text) => text !== '')].join('\n\n')
  }

  #expandLine(line: string, seen: Set<number>): string {
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
      const inline = this.#insertions[Number(number)]?.inline ?? ''
      return inCell ? asCell(inline) : inline
    })
  }
}
