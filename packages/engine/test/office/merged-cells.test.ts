import { readFileSync } from 'node:fs'
import { type BookType, utils, write } from '@e965/xlsx'
import { expect, test } from 'vitest'
import type { Extension } from '@sluice/contract'
import { OleStreams } from '../../src/container/ole-streams.ts'
import { convertBytes } from '../../../../test/support/convert-bytes.ts'
import { packageOf } from './generated/package-of.ts'
import { zip } from '../../../../test/support/zip.ts'

/*
 * One table in every format: `head` spans two columns, `side` two rows. The text of a cell that spans stands once, in the first
 * cell that it covers; the others are empty, and all cells keep their columns (docs/internals/quality.md).
 */
const TABLE = '| head |  | c |\n| --- | --- | --- |\n| side | m | n |\n|  | p | q |'

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006'
const A = 'http://schemas.openxmlformats.org/drawingml/2006'
const P = 'http://schemas.openxmlformats.org/presentationml/2006'
const OPEN = 'urn:oasis:names:tc:opendocument:xmlns'

function wordTable(): Buffer {
  const cell = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`
  const rows = [
    cell('head', '<w:gridSpan w:val="2"/>') + cell('c'),
    cell('side', '<w:vMerge w:val="restart"/>') + cell('m') + cell('n'),
    cell('', '<w:vMerge/>') + cell('p') + cell('q'),
  ]
  const grid = '<w:tblGrid><w:gridCol w:w="900"/><w:gridCol w:w="900"/><w:gridCol w:w="900"/></w:tblGrid>'
  const table = `<w:tbl>${grid}${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`
  const xml = `<w:document xmlns:w="${W}/main"><w:body>${table}</w:body></w:document>`
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  return packageOf([{ path: 'word/document.xml', type, xml }], 6)
}

function slideTable(): Buffer {
  const cell = (text: string, merge = ''): string =>
    `<a:tc ${merge}><a:txBody><a:bodyPr/><a:p>${text === '' ? '' : `<a:r><a:t>${text}</a:t></a:r>`}</a:p></a:txBody><a:tcPr/></a:tc>`
  const rows = [
    cell('head', 'gridSpan="2"') + cell('', 'hMerge="1"') + cell('c'),
    cell('side', 'rowSpan="2"') + cell('m') + cell('n'),
    cell('', 'vMerge="1"') + cell('p') + cell('q'),
  ]
  const grid = `<a:tblGrid>${'<a:gridCol w="900"/>'.repeat(3)}</a:tblGrid>`
  const table = `<a:tbl>${grid}${rows.map((row) => `<a:tr h="9">${row}</a:tr>`).join('')}</a:tbl>`
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="g"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData uri="${A}/table">${table}</a:graphicData></a:graphic></p:graphicFrame>`
  const names = `xmlns:a="${A}/main" xmlns:p="${P}/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
  const type = 'application/vnd.openxmlformats-officedocument.presentationml'
  return packageOf(
    [
      {
        path: 'ppt/presentation.xml',
        type: `${type}.presentation.main+xml`,
        xml: `<p:presentation ${names}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
        refersTo: { r1: ['slide', 'ppt/slides/slide1.xml'] },
      },
      {
        path: 'ppt/slides/slide1.xml',
        type: `${type}.slide+xml`,
        xml: `<p:sld ${names}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>${frame}</p:spTree></p:cSld></p:sld>`,
      },
    ],
    6,
  )
}

function openTable(kind: 'text' | 'presentation'): Buffer {
  const cell = (text: string, span = ''): string =>
    `<table:table-cell ${span}><text:p>${text}</text:p></table:table-cell>`
  const covered = '<table:covered-table-cell/>'
  const rows = [
    cell('head', 'table:number-columns-spanned="2"') + covered + cell('c'),
    cell('side', 'table:number-rows-spanned="2"') + cell('m') + cell('n'),
    covered + cell('p') + cell('q'),
  ]
  const lines = rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')
  const table = `<table:table><table:table-column table:number-columns-repeated="3"/>${lines}</table:table>`
  const body = kind === 'text' ? table : `<draw:page draw:name="1"><draw:frame>${table}</draw:frame></draw:page>`
  const names = ['office', 'text', 'table'].map((name) => `xmlns:${name}="${OPEN}:${name}:1.0"`).join(' ')
  const xml = `<office:document-content ${names} xmlns:draw="${OPEN}:drawing:1.0"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`
  const mimetype = `application/vnd.oasis.opendocument.${kind}`
  return zip({ mimetype, 'content.xml': xml })
}

function richTextTable(): Buffer {
  const row = (first: string, ...texts: string[]): string =>
    `\\trowd${first}\\cellx900\\cellx1800\\cellx2700\\pard\\intbl ${texts.map((text) => `${text}\\cell`).join(' ')}\\row`
  const wide = '\\trowd\\cellx1800\\cellx2700\\pard\\intbl head\\cell c\\cell\\row'
  const rows = `${wide}${row('\\clvmgf', 'side', 'm', 'n')}${row('\\clvmrg', '', 'p', 'q')}`
  return Buffer.from(`{\\rtf1\\ansi ${rows}\\pard\\par}`)
}

/** `covered` stands in the cells that others cover. */
function workbook(bookType: BookType, covered: string | null = null): Buffer {
  const sheet = utils.aoa_to_sheet([
    ['head', covered, 'c'],
    ['side', 'm', 'n'],
    [covered, 'p', 'q'],
  ])
  sheet['!merges'] = [utils.decode_range('A1:B1'), utils.decode_range('A2:A3')]
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, 'S')
  return write(book, { type: 'buffer', bookType }) as Buffer
}

test.each<[Extension, () => Buffer]>([
  ['docx', wordTable],
  ['pptx', slideTable],
  ['odt', () => openTable('text')],
  ['odp', () => openTable('presentation')],
  ['rtf', richTextTable],
  ...(['xlsx', 'xlsm', 'xlsb', 'ods'] as const).map(
    (type) => [type, () => workbook(type)] as [Extension, () => Buffer],
  ),
  ['xls', () => workbook('biff8')],
])('a spanning cell of a .%s has its text once, at its start', async (extension, make) => {
  expect((await convertBytes(make(), extension)).markdown.replace(/^## S\n\n/, '').trim()).toBe(TABLE)
})

test.each<BookType>(['xlsx', 'xlsb', 'biff8'])(
  'cells covered by merged cells of a workbook are not shown (%s)',
  async (type) => {
    const extension = type === 'biff8' ? 'xls' : (type as Extension)
    expect((await convertBytes(workbook(type, 'covered'), extension)).markdown).not.toContain('covered')
  },
)

test('a spanning cell of a .doc has the text of covered cells with its own, at its start', async () => {
  // Cells of the sample's rows are described once for the first row and once for the others ([MS-DOC] 2.9.311, 2.9.330).
  const streams = new OleStreams(readFileSync('samples/board-minutes.doc'))
  const document = streams.read('WordDocument') ?? Buffer.alloc(0)
  const description = Buffer.from([0x08, 0xd6])
  const first = document.indexOf(description)
  const others = document.indexOf(description, first + 2)
  const merge = (row: number, column: number, flags: number): void => {
    const cell = row + 5 + 2 * 4 + 20 * column
    document.writeUInt16LE(document.readUInt16LE(cell) | flags, cell)
  }
  const [IS_FIRST, FOLLOWS, IS_TOP, IS_BELOW] = [0x02, 0x01, 0x60, 0x20]
  merge(first, 0, IS_FIRST)
  merge(first, 1, FOLLOWS)
  merge(first, 2, IS_TOP)
  merge(others, 2, IS_BELOW)
  streams.overwrite('WordDocument', document)
  expect((await convertBytes(streams.bytes, 'doc')).markdown).toContain('| Motion<br>For |  | Against')
})
