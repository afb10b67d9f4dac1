import { CFB, utils, write } from '@e965/xlsx'
import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import type { Extension } from '@sluice/contract'
import { convertOffice } from '../../src/office/convert-office.ts'
import { convertSpreadsheet } from '../../src/sheets/convert-spreadsheet.ts'
import { unreadPictures } from '../../src/office/unread-pictures.ts'
import { mathmlToLatex } from '../../src/ooxml/mathml-to-latex.ts'
import { childrenOf, parseXml } from '../../src/ooxml/xml-tree.ts'
import { zip } from '../../../../test/support/zip.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'

const relations = (...targets: readonly (readonly [kind: string, target: string])[]): string =>
  `<Relationships ${RELS}>${targets.map(([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${TYPES}/${kind}" Target="${target}"/>`).join('')}</Relationships>`

function word(body: string, more: Readonly<Record<string, string | Uint8Array>> = {}): Buffer {
  return zip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': `<w:document ${W}><w:body><w:p>${body}</w:p></w:body></w:document>`,
    ...more,
  })
}

const read = (bytes: Buffer, extension: Extension) => convertOffice(bytes, extension, OPTIONS)

describe('a Word document', () => {
  test('keeps characters with ruby text above them', async () => {
    const ruby =
      '<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>'
    expect((await read(word(`<w:r><w:t xml:space="preserve">In </w:t></w:r>${ruby}`), 'docx')).markdown).toBe(
      'In 東京(とうきょう)\n',
    )
  })

  test('keeps the choices in lists and boxes of a form', async () => {
    const field = (data: string, code: string): string =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
    const list = field(
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Monday"/><w:listEntry w:val="Tuesday"/></w:ddList>',
      'FORMDROPDOWN',
    )
    const box = (state: string): string => field(`<w:checkBox>${state}</w:checkBox>`, 'FORMCHECKBOX')
    const text = (words: string): string => `<w:r><w:t xml:space="preserve">${words}</w:t></w:r>`
    const body = `${list}${text(', tea ')}${box('<w:checked/>')}${text(', milk ')}${box('<w:default w:val="0"/>')}`
    expect((await read(word(body), 'docx')).markdown).toBe('Tuesday, tea ☒, milk ☐\n')
  })

  test('warns of unread text when it consists mostly of pictures', async () => {
    const media = { 'word/media/image1.png': new Uint8Array(9_000) }
    expect((await read(word('', media), 'docx')).warning).toBe(
      'Left out of the Markdown: 1 picture, whose text is not read in Office files.',
    )
    const text = '<w:r><w:t>A letter that says in its own words what it has to say, beside its picture.</w:t></w:r>'
    expect((await read(word(text, media), 'docx')).warning).toBeNull()
    expect((await read(word('', { 'word/media/dot.png': new Uint8Array(90) }), 'docx')).warning).toBeNull()
  })

  test('of 2003 warns of unread text when it consists mostly of a floating picture', () => {
    const file = CFB.utils.cfb_new()
    const picture = Buffer.concat([
      Buffer.alloc(512),
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      Buffer.alloc(8_000, 7),
    ])
    CFB.utils.cfb_add(file, '/WordDocument', picture)
    const bytes = CFB.write(file, { type: 'buffer', fileType: 'cfb' }) as Buffer
    expect(unreadPictures(bytes, '')).toEqual(['1 picture, whose text is not read in Office files'])
    expect(unreadPictures(bytes, 'A letter that says in its own words what it has to say.')).toEqual([])
  })

  test('names its embedded files', async () => {
    const text = '<w:r><w:t>See the attached contract and its three annexes, signed by both sides.</w:t></w:r>'
    const files = {
      'word/embeddings/oleObject1.bin': 'x',
      'word/embeddings/Microsoft_Excel_Worksheet.xlsx': 'of a chart',
    }
    expect((await read(word(text, files), 'docx')).warning).toBe('Left out of the Markdown: 1 embedded file.')
  })
})

describe('a binary workbook', () => {
  test('has the text boxes of its sheets in the Markdown', async () => {
    const book = utils.book_new()
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Pier']]), 'North')
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Mole']]), 'South')
    const parts = unzipSync(new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsb' }) as Buffer))
    const drawing =
      '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r><a:t>Closed </a:t></a:r><a:r><a:t>in May</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>'
    const drawn = zip({
      ...parts,
      'xl/worksheets/_rels/sheet2.bin.rels': relations(['drawing', '../drawings/drawing1.xml']),
      'xl/drawings/drawing1.xml': drawing,
    })
    const { markdown, warning } = await convertSpreadsheet(drawn, 'xlsb', OPTIONS)
    expect(markdown).toMatch(/## South\n\n\| Mole \|\n\| --- \|\n\n<!-- text boxes: Closed in May -->\n/)
    expect(warning).toBeNull()
    const all = await convertSpreadsheet(drawn, 'xlsb', { ...OPTIONS, onlyMainContent: false })
    expect(all.markdown).toMatch(/\n\nClosed in May\n/)
  })
})

describe('MathML of a document', () => {
  test.each([
    ['<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>', String.raw`\frac{1}{a+b}`],
    ['<msup><mi>x</mi><mn>2</mn></msup>', 'x^{2}'],
    ['<msqrt><mi>α</mi></msqrt>', String.raw`\sqrt{\alpha}`],
    ['<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>', String.raw`\sum_{i}^{n}`],
    ['<semantics><mi>y</mi><annotation>StarMath</annotation></semantics>', 'y'],
    [
      '<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>',
      String.raw`\begin{matrix}1 & 2\end{matrix}`,
    ],
  ])('with %s becomes %s', (mathml, latex) => {
    const [math] = childrenOf(parseXml(`<math>${mathml}</math>`))
    expect(math === undefined ? null : mathmlToLatex(math)).toBe(latex)
  })
})
