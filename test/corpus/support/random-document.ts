import type { ChunkableDocument, LayoutBlock } from '#src/corpus/chunks/chunk.ts'
import type { Random } from '../../support/random.ts'
import { randomText, randomWord, randomWords } from './random-text.ts'

const RTL = 'שלום עולם המסמך הזה נכתב מימין לשמאל مرحبا بالعالم هذه وثيقة طويلة ١٢٣ نص'.split(' ')

const EMOJI = ['👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇫🇷', '❤️', '👨🏿‍🚀']

/** Markdown as people, converters and services write it where they do not follow the rules. */
function oddMarkdown(random: Random): string {
  const words = (most: number): string => randomWords(random, 'mixed', 1 + random.below(most))
  const many = (most: number, line: () => string, between: string): string =>
    Array.from({ length: 1 + random.below(most) }, line).join(between)
  switch (random.below(18)) {
    case 0:
      return many(
        30,
        () => `${'  '.repeat(random.below(6))}${random.pick(['-', '*', '+', '1.', '10)'])}\t${words(12)}`,
        '\n',
      )
    case 1:
      return `- ${words(5)}\n\n  \`\`\`sql\n  ${many(6, () => words(120), '\n  ')}\n  \`\`\`\n\n  ${words(60)}`
    case 2:
      return `\`\`\`\n${many(3, () => randomWords(random, 'latin', 400), '\n')}\n\`\`\``
    case 3:
      return `| a | b |\n|---|---|\n${many(40, () => `| \`x\\|y\` ${words(4)} | <b>${words(3)}</b><br>${words(3)} |`, '\n')}`
    case 4:
      return `| ${words(2)} | ${words(2)}\n:-- | --:\n${many(30, () => `${words(6)} | ${words(2)} | ${words(2)}`, '\n')}`
    case 5:
      return `<table>\n<tr><th>${words(3)}</th></tr>\n${many(60, () => `<tr><td>${words(8)}</td><td>\n\n${words(3)}</td></tr>`, '\n')}\n</table>`
    case 6:
      return many(200, () => random.pick(RTL), random.pick([' ', '\n', ' \u200f']))
    case 7:
      return many(300, () => random.pick(EMOJI), random.pick(['', ' ', '\u200d']))
    case 8:
      return many(40, () => words(12), '\r')
    case 9:
      return many(40, () => `${'\t'.repeat(random.below(4))}${words(9)}`, '\n')
    case 10:
      return random
        .pick(['x', '漢', '_', '9', '\u0e01', 'Ǆ', '\udc00'])
        .repeat(1 + random.below(random.pick([100, 1100, 9000])))
    case 11:
      return `${many(6, () => `${'>'.repeat(1 + random.below(4))} ${words(30)}`, '\n>\n')}\n${words(5)}`
    case 12:
      return `[^1]: ${words(40)}\n[link]: <https://example.com/${'a'.repeat(random.below(500))}> "${words(3)}"`
    case 13:
      return `    ${many(30, () => words(9), '\n    ')}`
    case 14:
      return `${words(4)}\r\n---\r\n${words(40)}\r\n\r\n${words(3)}\r\n===\r\n`
    case 15:
      return `<details><summary>${words(3)}</summary>\n\n| a |\n|-|\n${many(20, () => `| ${words(3)} |`, '\n')}\n\n</details`
    case 16:
      return `$$\n${many(20, () => `\\frac{${randomWord(random, 'latin')}}{|x|} \\\\`, '\n')}\n$$ ![${words(2)}](data:image/png;base64,${random.bytes(random.below(900)).toString('base64')})`
    default:
      return `| ${many(4, () => words(2), ' | ')} |\n| --- |\n${words(9)}\n\n|\n|-|\n| |`
  }
}

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
