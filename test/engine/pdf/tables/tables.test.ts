import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { line, paragraph, type PdfPage, text } from '../../../support/build-pdf.ts'
import { BuiltPdfs } from '../../../support/built-pdfs.ts'

let pdfs: BuiltPdfs
beforeAll(async () => {
  pdfs = await BuiltPdfs.open()
})
afterAll(() => pdfs[Symbol.asyncDispose]())

const PROSE = [
  'Dues are paid on the day of arrival. What is not paid then',
  'is asked for twice, and a third time by the bailiff himself.',
]

type Cells = readonly (readonly string[])[]

/** Cells set at fixed places, one row every `pitch` points. */
function cells(rows: Cells, columns: readonly number[], top: number, pitch = 16): string {
  return rows
    .flatMap((row, index) => row.map((cell, column) => text(columns[column] ?? 0, top + index * pitch, cell, 10)))
    .join('')
}

function rules(xs: readonly number[], tops: readonly number[]): string {
  const [left = 0, right = 0] = [xs.at(0), xs.at(-1)]
  const [top = 0, bottom = 0] = [tops.at(0), tops.at(-1)]
  return [...tops.map((at) => line(left, at, right, at)), ...xs.map((at) => line(at, top, at, bottom))].join('')
}

async function tablesOf(page: PdfPage): Promise<string[]> {
  const { blocks } = await pdfs.convert([page])
  return (blocks?.[0]?.items ?? []).filter((item) => item.type === 'table').map((item) => item.content)
}

const DUES: Cells = [
  ['Ship', 'Length', 'Dues'],
  ['Sloop', '12', '3.50'],
  ['Brig', '30', '9.00'],
  ['Barque', '55', '21.75'],
]
const DUES_MARKDOWN =
  '| Ship | Length | Dues |\n| --- | --- | --- |\n| Sloop | 12 | 3.50 |\n| Brig | 30 | 9.00 |\n| Barque | 55 | 21.75 |'

describe('a table', () => {
  test('is found by its lines', async () => {
    const drawn = rules([70, 200, 300, 400], [188, 204, 220, 236, 252])
    const content = paragraph(72, 100, PROSE) + drawn + cells(DUES, [74, 204, 304], 200) + paragraph(72, 300, PROSE)
    expect(await tablesOf({ content })).toEqual([DUES_MARKDOWN])
  })

  test('is found by its columns where nothing is drawn', async () => {
    const content = paragraph(72, 100, PROSE) + cells(DUES, [74, 204, 304], 200) + paragraph(72, 300, PROSE)
    expect(await tablesOf({ content })).toEqual([DUES_MARKDOWN])
  })

  test('has a row for each value, though lines are drawn around groups only', async () => {
    const drawn = rules([70, 200, 300, 400], [188, 204, 252])
    expect(await tablesOf({ content: drawn + cells(DUES, [74, 204, 304], 200) })).toEqual([DUES_MARKDOWN])
  })

  test('keeps the lines of one cell together', async () => {
    const rows: Cells = [
      ['Berth', 'Rule'],
      ['North', 'Ships over thirty'],
      ['', 'metres only'],
      ['South', 'Boats and other'],
      ['', 'small craft'],
    ]
    const drawn = rules([70, 200, 400], [188, 204, 236, 268])
    expect(await tablesOf({ content: drawn + cells(rows, [74, 204], 200) })).toEqual([
      '| Berth | Rule |\n| --- | --- |\n| North | Ships over thirty metres only |\n| South | Boats and other small craft |',
    ])
  })

  test('puts a title over several columns into the first of them', async () => {
    const drawn =
      rules([70, 200], [188, 204, 220, 236, 252]) +
      rules([300, 400], [188, 204, 220, 236, 252]) +
      line(200, 188, 300, 188) +
      [204, 220, 236, 252].map((at) => line(200, at, 300, at)).join('') +
      line(200, 188, 200, 252) +
      line(300, 204, 300, 252)
    const rows: Cells = [
      ['', 'Ships in the year'],
      ['Quay', '1890', '1891'],
      ['North', '310', '295'],
      ['South', '120', '133'],
    ]
    expect(await tablesOf({ content: drawn + cells(rows, [74, 204, 304], 200) })).toEqual([
      '|  | Ships in the year |  |\n| --- | --- | --- |\n| Quay | 1890 | 1891 |\n| North | 310 | 295 |\n| South | 120 | 133 |',
    ])
  })

  test('of thirty columns takes no longer than another: its gaps are not tried in all combinations', async () => {
    const columns = Array.from({ length: 30 }, (_, column) => 30 + column * 19)
    const rows = Array.from({ length: 50 }, () => columns.map(() => 'a'))
    const started = performance.now()
    const [table] = await tablesOf({ content: cells(rows, columns, 40, 12) })
    expect(table?.split('\n')).toHaveLength(51)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('is not seen in lists, numbered formulas and columns of prose', async () => {
    const list = ['1.', '2.', '3.', '4.'].map(
      (mark, index) => text(72, 100 + index * 14, mark) + text(100, 100 + index * 14, 'An item of the list'),
    )
    const formulas = [1, 2, 3].map(
      (index) => text(150, 200 + index * 20, `E = m c + ${index}`) + text(500, 200 + index * 20, `(${index})`),
    )
    expect(await tablesOf({ content: [...list, ...formulas].join('') })).toEqual([])
  })
})
