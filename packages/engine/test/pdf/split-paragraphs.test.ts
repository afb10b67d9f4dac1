import { describe, expect, test } from 'vitest'
import { line, paragraph, text, unicodeText } from '../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../test/support/built-pdfs.ts'
import { Random } from '../../../../test/support/random.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { shared } from '../../../../test/support/shared.ts'

const SEED = seedFrom('RUN_ON_SEED', 7)
const WORDS = 'harbour town ships quay north storm water tide wall house winter market stone river bridge'.split(' ')
const HAN = Array.from('城市北京港口海水船只河流山地人民生活工作文化科学技术发展历史学校公司市场产品问题研究')

const pdfs = await shared(BuiltPdfs.open())

/** Lines of about `length` letters that all go on, the last one in the middle of a word. */
function cutLines(random: Random, count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const words: string[] = []
    while (words.join(' ').length < length) words.push(random.pick(WORDS))
    return index === count - 1 ? `${words.join(' ').slice(0, length - 7)} interna-` : words.join(' ')
  })
}

const NOTE = '1 See the report of the harbour authority of 1998.'
const REST = ['tional treaty that was signed later by all of the towns beside it.', 'It was kept for many years.']
const note = (x: number): string => line(x, 690, x + 60, 690) + text(x, 702, NOTE, 8)

describe('a paragraph cut above a footnote', () => {
  test('continues in the next column, and the note follows it', async () => {
    const random = new Random(SEED)
    const lines = cutLines(random, 40, 38)
    const rest = ['tional treaty that was signed later by', ...cutLines(random, 35, 38).slice(0, -1), 'The end of it.']
    const content = paragraph(60, 80, lines, 10) + note(60) + paragraph(330, 80, rest, 10)
    const { markdown, blocks } = await pdfs.convert([{ content }])
    expect(markdown).toBe(`${[...lines, ...rest].join(' ').replace('interna- ', 'interna')}\n\n${NOTE}`)
    for (const item of blocks?.[0]?.items ?? []) expect(markdown.slice(...(item.markdownSpan ?? []))).toBe(item.content)
  })

  test('continues on the next page, after the note of its own page', async () => {
    const lines = cutLines(new Random(SEED), 40, 80)
    const pages = [{ content: paragraph(60, 80, lines) + note(60) }, { content: paragraph(60, 80, REST) }]
    const joined = [...lines, ...REST].join(' ').replace('interna- ', 'interna')
    const { markdown, pages: parsed } = await pdfs.convert(pages)
    expect(markdown).toBe(`${NOTE}\n\n${joined}`)
    expect(parsed?.[1]?.markdown).toBe(REST.join(' '))
  })

  test('lets a cut note continue on its own', async () => {
    const lines = cutLines(new Random(SEED), 40, 80)
    const cutNote =
      text(60, 702, '1 See the report of the harbour', 8) + text(60, 722, 'authority of the year 1998.', 8)
    const { markdown } = await pdfs.convert([{ content: paragraph(60, 80, lines) + line(60, 690, 120, 690) + cutNote }])
    expect(markdown).toMatch(/interna-\n\n1 See the report of the harbour authority of the year 1998\.$/)
  })

  test('stays above the note when pages have markers, or when it does not continue', async () => {
    const lines = cutLines(new Random(SEED), 40, 80)
    const first = { content: paragraph(60, 80, lines) + note(60) }
    const marked = await pdfs.convert([first, { content: paragraph(60, 80, REST) }], { pageMarkers: true })
    expect(marked.markdown.indexOf(NOTE)).toBeGreaterThan(marked.markdown.indexOf('interna-'))
    const other = await pdfs.convert([
      first,
      { content: paragraph(60, 80, ['Another text begins here, and it ends.']) },
    ])
    expect(other.markdown.indexOf(NOTE)).toBeGreaterThan(other.markdown.indexOf('interna-'))
  })
})

describe('a paragraph of a script without capitals', () => {
  const hanLine = (random: Random): string => Array.from({ length: 30 }, () => random.pick(HAN)).join('')

  test('continues over the page without a space in Chinese, unless its sentence ended there', async () => {
    const random = new Random(SEED)
    const first = Array.from({ length: 30 }, () => hanLine(random))
    const rest = [hanLine(random), `${hanLine(random).slice(0, 12)}。`]
    const drawn = (lines: readonly string[]) => ({
      content: lines.map((row, index) => unicodeText(60, 80 + index * 16, row)).join(''),
    })
    expect((await pdfs.convert([drawn(first), drawn(rest)])).markdown).toBe([...first, ...rest].join(''))
    const ended = [...first.slice(0, -1), `${hanLine(random).slice(1)}。`]
    expect((await pdfs.convert([drawn(ended), drawn(rest)])).markdown).toBe(`${ended.join('')}\n\n${rest.join('')}`)
  })
})

describe('notes below a table', () => {
  const rows = [
    ['Station', 'First', 'Second'],
    ['North harbour', '12.5*', '14.0'],
    ['South gate', '11.0', '9.7'],
    ['East field', '8.1', '7.2'],
  ]
  const table = rows
    .flatMap((row, index) => row.map((cell, column) => text([60, 260, 380][column] ?? 0, 114 + index * 14, cell, 10)))
    .join('')
  const ruled = line(60, 100, 500, 100) + table + line(60, 162, 500, 162)

  test('keep the star that references them', async () => {
    const { markdown } = await pdfs.convert([{ content: ruled + text(60, 178, '* Measured in May only.', 8) }])
    expect(markdown.split('\n\n').at(-1)).toBe('\\* Measured in May only.')
  })

  test('are a list when several stars are below each other', async () => {
    const items = text(60, 190, '* Measured in May.', 11) + text(60, 205, '* Measured in June.', 11)
    const { markdown } = await pdfs.convert([{ content: ruled + items }])
    expect(markdown).toContain('- Measured in May.\n- Measured in June.')
  })
})
