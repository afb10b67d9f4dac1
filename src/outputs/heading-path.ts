interface OpenHeading {
  readonly level: number
  readonly text: string
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+([^\n]*?)(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(?:```|~~~)/

/** Headings that text stands under, outermost first, while a document is gone through in its order. */
export class HeadingPath {
  #open: readonly OpenHeading[] = []
  #isFenced = false

  /** Those that are open after what was read so far. */
  get headings(): readonly string[] {
    return this.#open.map(({ text }) => text)
  }

  /** Reads a block, and gives the headings that it stands under. A heading does not stand under itself. */
  read(block: string): readonly string[] {
    const [, marks = '', text = ''] = HEADING.exec(block) ?? []
    if (marks === '') return this.headings
    this.#open = this.#open.filter(({ level }) => level < marks.length)
    const above = this.headings
    if (text !== '') this.#open = [...this.#open, { level: marks.length, text }]
    return above
  }

  /** Reads a page, and gives the headings that are open where it begins. */
  readPage(markdown: string): readonly string[] {
    const open = this.headings
    for (const line of markdown.split('\n')) {
      if (FENCE.test(line)) this.#isFenced = !this.#isFenced
      else if (!this.#isFenced) this.read(line)
    }
    return open
  }
}
