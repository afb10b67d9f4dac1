import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { describe, expect, test } from 'vitest'
import { letterShape } from '../../../src/pdf/geometry/words.ts'
import { pageDrafts } from '../../../src/pdf/page-drafts.ts'
import { NOTHING_KNOWN } from '../../../src/grade/signals.ts'
import { Random } from '../../../../../test/support/random.ts'
import { seedFrom } from '../../../../../test/support/seed.ts'

const FIRST_SEED = seedFrom('RECOGNISED_SEED', 0)
const SEEDS = Array.from({ length: 20 }, (_, index) => FIRST_SEED + index)
const SIZE = 10
const PITCH = 13

const IDEOGRAPHS = '港口北方石墙码头潮水船只渔夫灯塔海风冬天木桩更新十年建成河流改道'
const WORDS = 'the northern quay of granite and its sea wall were built when ships had masts'.split(' ')

interface Set {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly lines: number
}

/** Lines of Chinese as they are recognised: one item each, and as wide as the column but for the last one. */
function chinese(random: Random, { left, top, width, lines }: Set): TextItem[] {
  return Array.from({ length: lines }, (_, line) => {
    const letters = Math.floor(width / SIZE) - (line === lines - 1 ? 4 : 0)
    const text = Array.from({ length: letters }, () => random.pick(Array.from(IDEOGRAPHS))).join('')
    return itemOf(text, left, top + line * PITCH, letters * SIZE)
  })
}

/** Lines of English, one item a word. */
function english(random: Random, { left, top, width, lines }: Set): TextItem[] {
  return Array.from({ length: lines }, (_, line) => {
    const items: TextItem[] = []
    for (let x = left; x < left + width - 40; x = (items.at(-1)?.x ?? 0) + (items.at(-1)?.width ?? 0) + 3) {
      const word = random.pick(WORDS)
      items.push(itemOf(word, x, top + line * PITCH, word.length * 5))
    }
    return items
  }).flat()
}

function itemOf(text: string, x: number, baseline: number, width: number): TextItem {
  const { height, rise } = letterShape(text)
  const ink = { y: baseline - rise * height * SIZE, height: height * SIZE }
  return { text, x, width, ...ink, fontName: 'OCR', confidence: 0.95 }
}

function draftsOf(items: readonly TextItem[], scale = 1) {
  const textItems = items.map(({ x, y, width, height, ...item }) => ({
    ...item,
    x: x * scale,
    y: y * scale,
    width: width * scale,
    height: height * scale,
  }))
  const page: ParsedPage = { pageNum: 1, width: 595 * scale, height: 842 * scale, text: '', markdown: '', textItems }
  const read = { pageNumber: 1, page, turn: 0 as const, problems: [], signals: NOTHING_KNOWN }
  return pageDrafts([read], { onlyMainContent: true, vocabulary: new Set() }).pages[0]?.drafts ?? []
}

/** Letters of a page in its order, without spaces and marks of tables. */
const lettersOf = (items: readonly TextItem[], scale?: number): string =>
  draftsOf(items, scale)
    .map(({ fragment }) => fragment.markdown.replace(/[\s|-]/g, ''))
    .join('')

const textOf = (items: readonly TextItem[]): string => items.map(({ text }) => text).join('')

describe('a recognised page', () => {
  test.each(SEEDS)('with narrow columns of Chinese is read column by column (seed %i)', (seed) => {
    const random = new Random(seed)
    const columns = [40, 168, 296, 424].map((left) =>
      chinese(random, { left, top: 100 + random.below(PITCH), width: 120, lines: 24 }),
    )
    expect(lettersOf(columns.flat())).toBe(columns.map(textOf).join(''))
  })

  test.each(SEEDS)('at any point size is read like one at paper size (seed %i)', (seed) => {
    const random = new Random(seed)
    const columns = [40, 226, 412].map((left) =>
      english(random, { left, top: 100 + random.below(PITCH), width: 170, lines: 24 }),
    )
    expect(lettersOf(columns.flat(), 0.35)).toBe(columns.map(textOf).join(''))
    const [first] = draftsOf(columns.flat(), 0.35)
    expect(first?.fragment.bbox?.x0).toBeCloseTo(40 * 0.35)
  })

  test.each(SEEDS)('with a table across its columns is read above it, then the table, then below (seed %i)', (seed) => {
    const random = new Random(seed)
    const above = [40, 310].map((left) => chinese(random, { left, top: 100, width: 240, lines: 8 }))
    const below = [40, 310].map((left) => chinese(random, { left, top: 320, width: 240, lines: 8 }))
    const table = Array.from({ length: 5 }, (_, row) =>
      [45, 190, 330, 450].map((x, cell) =>
        itemOf(cell === 0 ? '北方港口' : String(100 + random.below(900)), x, 224 + row * 17, cell === 0 ? 40 : 18),
      ),
    ).flat()
    const all = [...above, table, ...below]
    expect(lettersOf(all.flat())).toBe(all.map(textOf).join(''))
  })

  test('with parallel lists is read list by list', () => {
    const lists = [40, 160, 310, 430].map((left, list) =>
      ['1.', '2.', '3.', '4.'].flatMap((marker, line) => [
        itemOf(marker, left, 100 + line * PITCH, 8),
        itemOf(WORDS[4 * list + line] ?? 'quay', left + 12, 100 + line * PITCH, 30),
      ]),
    )
    expect(lettersOf(lists.flat())).toBe(lists.map(textOf).join(''))
  })
})
