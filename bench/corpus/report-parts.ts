import type { Random } from '../../test/support/random.ts'

/** Where a fact stands. */
export interface FactOrigin {
  readonly document: number
  readonly heading: string
  readonly title: string
}

const FILLER =
  'the works were agreed by the board after a visit in spring and the keeper was told of them in time for winter'.split(
    ' ',
  )
const THINGS =
  'oak gates pumps divers crane mortar hinges paddles sluices chains ropes paint bolts timber clay sheets'.split(' ')

export const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

export function sentence(random: Random, words: number): string {
  const drawn = Array.from({ length: words }, () => random.pick(random.below(5) === 0 ? THINGS : FILLER))
  return `${capital(drawn.join(' '))}.`
}

export function prose(random: Random, paragraphs: number): string {
  const paragraph = (): string =>
    Array.from({ length: 2 + random.below(7) }, () => sentence(random, 6 + random.below(18))).join(' ')
  return Array.from({ length: paragraphs }, paragraph).join('\n\n')
}

export const list = (random: Random, items: readonly string[]): string =>
  Array.from({ length: 3 + random.below(8) }, () => `- ${random.pick(items)}: ${prose(random, 1).split('. ')[0]}`).join(
    '\n',
  )

/** A table of GFM; with its columns aligned by spaces, as some converters write it. */
export function aligned(header: readonly string[], rows: readonly (readonly string[])[], isAligned: boolean): string {
  const widths = header.map((name, column) =>
    isAligned ? Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)) : 3,
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (isAligned ? cell.padEnd(widths[column] ?? 3) : cell)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
