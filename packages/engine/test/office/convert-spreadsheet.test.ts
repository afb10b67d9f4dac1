import { utils, write, type WorkBook } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { convertSpreadsheet } from '../../src/sheets/convert-spreadsheet.ts'
import { guardZip } from '../../src/sheets/convert-spreadsheet.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }

function book(sheets: Readonly<Record<string, unknown[][]>>): WorkBook {
  const result = utils.book_new()
  for (const [name, rows] of Object.entries(sheets)) utils.book_append_sheet(result, utils.aoa_to_sheet(rows), name)
  return result
}

const bytesOf = (workBook: WorkBook, bookType: 'xlsx' | 'xlsb' | 'biff8' | 'ods'): Buffer =>
  write(workBook, { type: 'buffer', bookType }) as Buffer

describe('a spreadsheet', () => {
  test.each([
    ['xlsx', 'xlsx'],
    ['xlsb', 'xlsb'],
    ['xls', 'biff8'],
    ['ods', 'ods'],
  ] as const)('of type %s becomes one section per sheet', async (extension, bookType) => {
    const bytes = bytesOf(
      book({
        Costs: [
          ['item', 'price'],
          ['a|b', 2],
        ],
        Empty: [],
        Notes: [['done']],
      }),
      bookType,
    )
    const { markdown } = await convertSpreadsheet(bytes, extension, OPTIONS)
    expect(markdown).toBe(
      '## Costs\n\n| item | price |\n| --- | --- |\n| a\\|b | 2 |\n\n## Notes\n\n| done |\n| --- |\n',
    )
  })

  test('shows numbers in their format', async () => {
    const workBook = book({ S: [['share', 'sum', 'day']] })
    utils.sheet_add_aoa(
      workBook.Sheets['S'] ?? {},
      [
        [
          { t: 'n', v: 0.155, z: '0.0%' },
          { t: 'n', v: 1234.5, z: '$#,##0.00' },
          { t: 'n', v: 46_096, z: 'm/d/yy' },
        ],
      ],
      { origin: 'A2' },
    )
    const { markdown } = await convertSpreadsheet(bytesOf(workBook, 'xlsx'), 'xlsx', OPTIONS)
    expect(markdown).toContain('| 15.5% | $1,234.50 | 2026-03-15 |')
  })

  test.each(['xlsx', 'xlsb', 'xls'] as const)(
    'of type %s keeps the sign of numbers whose format has conditions',
    async (extension) => {
      const formats = ['[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', '[<0](0);0.0', '[>=100]0.0']
      const rows = [-5, 2500, 7].map((v) => formats.map((z) => ({ t: 'n', v, z })))
      const workBook = book({ S: [['scaled', 'own sign', 'one section']] })
      utils.sheet_add_aoa(workBook.Sheets['S'] ?? {}, rows, { origin: 'A2' })
      const bytes = bytesOf(workBook, extension === 'xls' ? 'biff8' : extension)
      const { markdown } = await convertSpreadsheet(bytes, extension, OPTIONS)
      expect(markdown).toContain('| -5 | (5) | -5 |\n| 2.5K | 2500.0 | 2500.0 |\n| 7 | 7.0 | 7 |')
    },
  )

  test('omits and names hidden sheets, or reads them on request', async () => {
    const workBook = book({ Seen: [['a']], Secret: [['b']] })
    workBook.Workbook = {
      Sheets: [
        { name: 'Seen', Hidden: 0 },
        { name: 'Secret', Hidden: 1 },
      ],
    }
    const { markdown, metadata } = await convertSpreadsheet(bytesOf(workBook, 'xlsx'), 'xlsx', OPTIONS)
    expect(markdown).not.toContain('Secret')
    expect(metadata).toMatchObject({ hiddenSheets: ['Secret'] })
    const all = await convertSpreadsheet(bytesOf(workBook, 'xlsx'), 'xlsx', { ...OPTIONS, hiddenSheets: true })
    expect(all.markdown).toContain('## Secret')
    expect([all.metadata['hiddenSheets'], all.warning]).toEqual([undefined, null])
  })

  test('costs nothing for the empty space before a stray cell', async () => {
    const workBook = book({ S: [] })
    workBook.Sheets['S'] = {
      '!ref': 'XFC1048575:XFD1048576',
      XFC1048575: { t: 's', v: 'a' },
      XFD1048576: { t: 's', v: 'b' },
    }
    const { markdown } = await convertSpreadsheet(bytesOf(workBook, 'xlsx'), 'xlsx', OPTIONS)
    expect(markdown).toBe('## S\n\n| a |  |\n| --- | --- |\n|  | b |\n')
  })
})

test('an archive that declares too many bytes is refused before anything is unpacked', () => {
  const bytes = Buffer.from(bytesOf(book({ S: [['a']] }), 'xlsx'))
  const directory = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  bytes.writeUInt32LE(0x7fff_ffff, directory + 24)
  expect(() => guardZip(bytes)).toThrow(expect.objectContaining({ problem: 'resource_limit' }))
})

test('a spreadsheet with a distant cell gets a table for it, not rows of thousands of cells', async () => {
  const sheet = utils.aoa_to_sheet([
    ['name', 'age'],
    ['Ada', 36],
  ])
  utils.sheet_add_aoa(sheet, [['far']], { origin: 'XFD4' })
  const workBook = utils.book_new()
  utils.book_append_sheet(workBook, sheet, 'One')
  const { markdown, marks } = await convertSpreadsheet(bytesOf(workBook, 'xlsx'), 'xlsx', {
    ...OPTIONS,
    anchors: true,
  })
  expect(markdown).toBe('## One\n\n| name | age |\n| --- | --- |\n| Ada | 36 |\n\n| far |\n| --- |\n')
  expect(marks?.map(({ anchor }) => ('range' in anchor ? anchor.range : ''))).toEqual([
    null,
    'A1:B2',
    null,
    'XFD4:XFD4',
    null,
  ])
})
