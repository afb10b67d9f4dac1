import { describe, expect, test } from 'vitest'
import type { Word } from '../../../src/pdf/geometry/words.ts'
import { cellText, withoutEmpty } from '../../../src/pdf/tables/grid.ts'
import { line, paragraph, type PdfPage, text } from '../../../../../test/support/build-pdf.ts'
import { BuiltPdfs } from '../../../../../test/support/built-pdfs.ts'
import { shared } from '../../../../../test/support/shared.ts'

const pdfs = await shared(BuiltPdfs.open())

const PROSE = [
  'Dues are paid on the day of arrival. What is not paid then',
  'is asked for twice, and a third time by the bailiff himself.',
]

type Cells = readonly (readonly string[])[]

/** Cells set at fixed positions, one row every `pitch` points. */
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

describe('a table of a PDF', () => {
  test('is found by its lines', async () => {
    const drawn = rules([70, 200, 300, 400], [188, 204, 220, 236, 252])
    const content = paragraph(72, 100, PROSE) + drawn + cells(DUES, [74, 204, 304], 200) + paragraph(72, 300, PROSE)
    expect(await tablesOf({ content })).toEqual([DUES_MARKDOWN])
  })

  test('is found by its columns when nothing is drawn', async () => {
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

  test('has a row for each label, though its rows are as close as their lines', async () => {
    const first: Cells = [
      ['Bone', 'Dislocation of the', 'Curved spine'],
      ['', 'hip at birth', ''],
    ]
    const rows: Cells = [
      ['', 'Childhood: short', ''],
      ['', 'fingers', ''],
      ['Ear', 'Middle ear that', 'Loss of hearing'],
      ['', 'is inflamed', ''],
      ['Kidney', 'Horseshoe form', 'High pressure'],
      ['', 'and malrotation', ''],
    ]
    const at = [74, 204, 334]
    const content = cells([['Organ', 'Child', 'Adult']], at, 100) + cells(first, at, 124, 12) + cells(rows, at, 156, 12)
    expect(await tablesOf({ content })).toEqual([
      '| Organ | Child | Adult |\n| --- | --- | --- |\n| Bone | Dislocation of the hip at birth | Curved spine |\n|  | Childhood: short fingers |  |\n| Ear | Middle ear that is inflamed | Loss of hearing |\n| Kidney | Horseshoe form and malrotation | High pressure |',
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

  test('of fields with a label and a value on each line has a row for each field', async () => {
    const fields: Cells = [
      ['Order:', '2024-12-5678', 'Berth:', 'North quay'],
      ['Agent:', 'Harbour Supplies', 'Pilot:', 'Ada Brandt'],
      ['Arrival:', '12/20/2024', 'Cargo:', 'Timber'],
    ]
    const [table = ''] = await tablesOf({
      content: cells(fields, [74, 134, 284, 344], 200, 12) + paragraph(72, 300, PROSE),
    })
    expect(table.split('\n').filter((row) => !row.includes('---'))).toEqual(
      fields.map((row) => `| ${row.join(' | ')} |`),
    )
    const pairs = fields.map((row) => row.slice(0, 2))
    const [narrow = ''] = await tablesOf({ content: cells(pairs, [74, 134], 200, 12) + paragraph(72, 300, PROSE) })
    expect(narrow.split('\n').filter((row) => !row.includes('---'))).toEqual(
      pairs.map((row) => `| ${row.join(' | ')} |`),
    )
  })

  test('may have one row of values below its titles', async () => {
    const one: Cells = [
      ['Start', 'End', 'Calls', 'Gross', 'Net'],
      ['12/20/24', '12/31/24', '48', '$12,500.00', '$11,250.00'],
    ]
    const columns = [74, 144, 214, 284, 374]
    const content = paragraph(72, 100, PROSE) + cells(one, columns, 200, 12) + paragraph(72, 300, PROSE)
    expect(await tablesOf({ content })).toEqual([
      '| Start | End | Calls | Gross | Net |\n| --- | --- | --- | --- | --- |\n| 12/20/24 | 12/31/24 | 48 | $12,500.00 | $11,250.00 |',
    ])
  })

  test('has no columns for the strips between the shading of its cells', async () => {
    const drawn = rules([70, 196, 200, 296, 300, 400], [188, 204, 220, 236, 252])
    expect(await tablesOf({ content: drawn + cells(DUES, [74, 204, 304], 200) })).toEqual([DUES_MARKDOWN])
  })

  test('of thirty columns is found without trying all combinations of its gaps', async () => {
    const columns = Array.from({ length: 30 }, (_, column) => 30 + column * 19)
    const rows = Array.from({ length: 50 }, () => columns.map(() => 'a'))
    const before = process.cpuUsage()
    const [table] = await tablesOf({ content: cells(rows, columns, 40, 12) })
    expect(table?.split('\n')).toHaveLength(51)
    expect(process.cpuUsage(before).user).toBeLessThan(5e6)
  })

  test('is not found in lists, numbered formulas and columns of prose', async () => {
    const list = ['1.', '2.', '3.', '4.'].map(
      (mark, index) => text(72, 100 + index * 14, mark) + text(100, 100 + index * 14, 'An item of the list'),
    )
    const formulas = [1, 2, 3].map(
      (index) => text(150, 200 + index * 20, `E = m c + ${index}`) + text(500, 200 + index * 20, `(${index})`),
    )
    expect(await tablesOf({ content: [...list, ...formulas].join('') })).toEqual([])
  })
})

test('dashed rules in a table of a PDF are not text of a cell, and make no row', () => {
  const box = { x0: 72, y0: 100, x1: 150, y1: 110 }
  const style = {
    size: 10,
    baseline: 108,
    weight: 400,
    italic: false,
    monospaced: false,
    math: false,
    turned: 0 as const,
  }
  const cell = (printed: string): Word[] => [{ ...box, ...style, text: printed, confidence: null, link: null }]
  const [ship, rule, dash] = [cell('Sloop'), cell('------------'), cell('–')]
  expect(
    withoutEmpty([
      [ship, dash],
      [rule, rule],
      [ship, []],
    ]),
  ).toEqual([
    [ship, dash],
    [ship, []],
  ])
  expect([cellText(rule), cellText(dash)]).toEqual(['', '–'])
})
