import { assertNever } from '../../src/document/assert-never.ts'
import { Random } from '../../test/support/random.ts'

const SYLLABLES = 'ba ko mi tu re la so ne di va po ge fu ri ta lo me su ni ka'.split(' ')

/** What stands on a slide, in its order. */
export type Part =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

export interface Item {
  readonly text: string
  readonly inner: readonly string[]
}

export interface Slide {
  readonly title: string
  /** Two parts beside each other, or one. */
  readonly columns: readonly Part[]
  readonly notes: string | null
}

/** A presentation with all that a reader of it sees: the same seed gives the same one. */
export class Deck {
  readonly slides: readonly Slide[]
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.slides = this.#several(2, 8, () => this.#slide())
  }

  #several<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.#random.below(most - least + 1) }, make)
  }

  #word(): string {
    return this.#several(2, 4, () => this.#random.pick(SYLLABLES)).join('')
  }

  #phrase(least: number, most: number): string {
    const words = this.#several(least, most, () => this.#word()).join(' ')
    return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`
  }

  #slide(): Slide {
    const isWide = this.#random.below(4) > 0
    const columns = isWide ? [this.#part(true)] : [this.#part(false), this.#part(false)]
    return { title: this.#phrase(1, 5), columns, notes: this.#random.below(5) === 0 ? this.#phrase(3, 12) : null }
  }

  #part(mayBeTable: boolean): Part {
    const kind = this.#random.below(mayBeTable ? 3 : 2)
    if (kind === 0) return { kind: 'paragraph', text: `${this.#phrase(4, 30)}.` }
    if (kind === 1) {
      const item = (): Item => ({
        text: this.#phrase(1, 8),
        inner: this.#random.below(4) === 0 ? this.#several(1, 3, () => this.#phrase(1, 5)) : [],
      })
      return { kind: 'list', isNumbered: this.#random.below(4) === 0, items: this.#several(2, 6, item) }
    }
    const columns = 2 + this.#random.below(4)
    const cell = (): string => (this.#random.below(2) === 0 ? String(this.#random.below(100_000)) : this.#phrase(1, 3))
    const row = (): string[] => Array.from({ length: columns }, cell)
    return { kind: 'table', rows: this.#several(2, 7, row) }
  }
}

export function markdownOf(part: Part): string {
  switch (part.kind) {
    case 'paragraph':
      return part.text
    case 'list':
      return part.items
        .map(({ text, inner }, index) => itemOf(text, inner, part.isNumbered ? index + 1 : null))
        .join('\n')
    case 'table': {
      const [head = [], ...rows] = part.rows
      const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
      return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
    }
    default:
      return assertNever(part)
  }
}

function itemOf(text: string, inner: readonly string[], number: number | null): string {
  return [`${number === null ? '-' : `${number}.`} ${text}`, ...inner.map((line) => `    - ${line}`)].join('\n')
}

/** The truth: each slide's title, its parts in reading order, and its notes. */
export function truthOf({ slides }: Deck): string {
  const blocks = slides.flatMap(({ title, columns, notes }) => [
    `## ${title}`,
    ...columns.map(markdownOf),
    ...(notes === null ? [] : [notes]),
  ])
  return `${blocks.join('\n\n')}\n`
}

/** The same for pandoc, which makes a slide of each heading of level 2. */
export function pandocOf({ slides }: Deck): string {
  const body = slides.flatMap(({ title, columns, notes }) => [
    `## ${title}`,
    ...(columns.length === 1
      ? columns.map(markdownOf)
      : [
          ':::::: columns',
          ...columns.flatMap((part) => ['::: {.column width="50%"}', markdownOf(part), ':::']),
          '::::::',
        ]),
    ...(notes === null ? [] : ['::: notes', notes, ':::']),
  ])
  return `${body.join('\n\n')}\n`
}
