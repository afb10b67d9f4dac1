import type { ChunkableDocument, LayoutBlock } from '#src/corpus/chunks/chunk.ts'
import type { Random } from '../../support/random.ts'
import { oddMarkdown } from './odd-markdown.ts'
import { randomText, randomWord, randomWords } from './random-text.ts'

/** A document as the engine or a service writes it, with layout for about half of them, and sometimes with what neither should write. */
export function randomDocument(random: Random): ChunkableDocument {
  const script = random.pick(['latin', 'latin', 'latin', 'mixed', 'han', 'wild'] as const)
  const writer = new Writer(random, script)
  const blocks = random.below(random.pick([2, 4, 12, 30]))
  for (let count = 0; count <= blocks; count++) writer.block()
  const { markdown, layout } = writer
  const hasLayout = random.below(2) === 0
  if (!hasLayout) return { markdown, blocks: [], pages: random.below(3) === 0 ? [] : writer.pages() }
  return { markdown, blocks: random.below(4) === 0 ? oddLayout(random, layout, markdown) : layout, pages: [] }
}

/** Blocks that overlap, hold others, are empty or stand in another order. */
function oddLayout(random: Random, layout: readonly LayoutBlock[], markdown: string): readonly LayoutBlock[] {
  const more = layout.flatMap((block, index): LayoutBlock[] => {
    if (random.below(3) > 0) return []
    const start = random.below(markdown.length + 1)
    const end = Math.min(markdown.length, start + random.below(random.pick([2, 50, 3000])))
    return [{ ...block, id: `odd${index}`, page: 1 + random.below(9), span: [start, end] }]
  })
  return [...layout, ...more].toSorted(() => random.below(3) - 1)
}

type Script = 'latin' | 'mixed' | 'han' | 'wild'

class Writer {
  markdown = ''
  readonly layout: LayoutBlock[] = []
  readonly #random: Random
  readonly #script: Script
  readonly #marksPages: boolean
  readonly #newline: string
  #page = 1
  #pageStarts = [0]

  constructor(random: Random, script: Script) {
    this.#random = random
    this.#script = script
    this.#marksPages = random.below(3) === 0
    this.#newline = random.below(20) === 0 ? '\r\n' : '\n'
  }

  block(): void {
    const random = this.#random
    if (this.markdown !== '') this.#gap()
    const [type, text] = this.#content()
    const start = this.markdown.length
    this.markdown += text.replaceAll('\n', this.#newline)
    const box = [random.next() / 2, random.next() / 2, 0.5 + random.next() / 2, 0.5 + random.next() / 2] as const
    const id = `p${this.#page}.b${this.layout.length}`
    const span = [start, this.markdown.length] as const
    this.layout.push({ id, type, page: this.#page, bbox: random.below(10) === 0 ? null : [...box], span })
  }

  pages(): { page: number; markdown: string }[] {
    return this.#pageStarts.map((start, index) => ({
      page: index + 1,
      markdown: this.markdown.slice(start, this.#pageStarts[index + 1] ?? this.markdown.length),
    }))
  }

  #gap(): void {
    const random = this.#random
    this.markdown += this.#newline + this.#newline
    if (random.below(30) === 0)
      this.markdown += random.pick(['\n\n\n', '   \n', '\u00a0\n', ' '.repeat(random.below(2000))])
    if (random.below(8) > 0) return
    this.#page += 1
    if (this.#marksPages) this.markdown += `---\n\n<!-- page ${this.#page} -->\n\n`
    this.#pageStarts.push(this.markdown.length)
  }

  #content(): readonly [type: string, text: string] {
    const random = this.#random
    const words = (most: number): string => randomWords(random, this.#script, 1 + random.below(most))
    switch (random.below(18)) {
      case 0:
      case 1:
        return ['section_header', `${'#'.repeat(1 + random.below(6))} ${words(random.below(10) === 0 ? 120 : 8)}`]
      case 2:
        return ['title', random.below(2) === 0 ? `# ${words(8)}` : words(8)]
      case 3:
        return ['table', this.#table()]
      case 4:
        return ['text', this.#list(0)]
      case 5:
        return ['text', this.#code()]
      case 6:
        return ['caption', `Table ${random.below(9)}: ${words(12)}\n\n${this.#table()}`]
      case 7:
        return ['figure', random.pick([`![${words(5)}](figure.png)`, words(20)])]
      case 8:
        return ['text', this.#nested()]
      case 9:
        return ['text', `<!--\n\n# ${words(4)}\n\n${random.below(4) === 0 ? '' : '-->'}`]
      case 10:
        return [
          'text',
          random.pick([`> ${words(30)}`, `<div>\n${words(20)}\n</div>`, `${words(3)}\n===`, '---', '<|endoftext|>']),
        ]
      case 11:
      case 12:
        return [random.pick(['text', 'table', 'other']), oddMarkdown(random)]
      default:
        return ['text', this.#script === 'wild' ? this.#wild() : randomText(random, this.#script)]
    }
  }

  #table(): string {
    const random = this.#random
    const columns = 1 + random.below(random.pick([3, 6, 25]))
    const row = (cell: () => string): string => `| ${Array.from({ length: columns }, cell).join(' | ')} |`
    const cell = (): string =>
      randomWords(random, this.#script, random.below(random.pick([2, 4, 20]))).replaceAll('|', '\\|')
    const rows = Array.from({ length: random.below(random.pick([3, 12, 120])) }, () => row(cell))
    return [row(cell), row(() => '---'), ...rows].join('\n')
  }

  #list(depth: number): string {
    const random = this.#random
    const gap = random.below(2) === 0 ? '\n' : '\n\n'
    const items = Array.from({ length: 1 + random.below(8) }, (_, index) => {
      const mark = random.below(2) === 0 ? '-' : `${index + 1}.`
      const inner = depth < 2 && random.below(4) === 0 ? gap + this.#list(depth + 1) : ''
      return `${'  '.repeat(depth)}${mark} ${randomWords(random, this.#script, 1 + random.below(40))}${inner}`
    })
    return items.join(gap)
  }

  /** A table, code or a list in up to three list items or quotes. */
  #nested(): string {
    const random = this.#random
    const prefixes = Array.from({ length: 1 + random.below(3) }, () => random.pick(['> ', '  ', '   ', '    ']))
    const marked = prefixes.map((prefix) => (prefix.startsWith('>') ? prefix : '-'.padEnd(prefix.length)))
    const inner = random.pick([() => this.#table(), () => this.#code(), () => this.#list(0)])()
    return inner
      .split('\n')
      .map((line, index) => (index === 0 ? marked : prefixes).join('') + line)
      .join('\n')
  }

  #code(): string {
    const random = this.#random
    const lines = Array.from(
      { length: random.below(40) },
      () => ' '.repeat(random.below(9)) + randomWords(random, 'latin', random.below(9)),
    )
    const close = random.below(8) === 0 ? '' : '\n```'
    return `\`\`\`${random.pick(['', 'ts', 'python'])}\n${lines.join('\n')}${close}`
  }

  /** What breaks chunkers: no boundaries, marks, pairs, runs. */
  #wild(): string {
    const random = this.#random
    const length = 1 + random.below(random.pick([20, 300, 3000]))
    const unit = random.pick([
      'a',
      '漢字',
      '👩‍👩‍👧‍👦',
      'e\u0301',
      'e\u0302\u0303\u0304',
      '\u{1f1e9}\u{1f1ea}',
      '0123456789',
      '=',
      '|',
      ' |',
      '\ud83d',
      'ﷺ',
      'กำ',
      'नि',
      '한국어',
      '- ',
      '\t',
      ' \u0301',
      '\u0600a',
      'a\u2028',
      '/\n/',
      '\n \n',
      `${randomWord(random, 'wild')} `,
      `${randomWord(random, 'wild')}.\n`,
    ])
    return `${randomWord(random, 'wild')} ${unit.repeat(length)}${randomWord(random, 'wild')}`
  }
}
