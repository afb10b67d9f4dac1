import { CFB } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { ConversionError } from '../../src/conversion.ts'
import { convertOffice } from '../../src/office/convert-office.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }

const rtf = (body: string, styles = ''): Buffer =>
  Buffer.from(String.raw`{\rtf1\ansi{\stylesheet{\s0 Normal;}${styles}}${body}}`, 'latin1')

function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const archive = CFB.utils.cfb_new()
  for (const [name, text] of Object.entries(files)) CFB.utils.cfb_add(archive, `/${name}`, Buffer.from(text))
  return CFB.write(archive, { type: 'buffer', fileType: 'zip' }) as Buffer
}

const word = (body: string): Buffer =>
  zipOf({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml':
      '<cp:coreProperties xmlns:cp="x" xmlns:dc="y"><dc:title>Plans &amp; costs</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>',
  })

const paragraph = (text: string): string => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
const cell = (content: string): string => `<w:tc>${content}</w:tc>`
const table = (...rows: string[]): string => `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`

describe('an office document', () => {
  test('shows text that resembles Markdown literally', async () => {
    const { markdown } = await convertOffice(word(paragraph('# 1. *no* [link] a_b &lt;tag> 5 | 6')), 'docx', OPTIONS)
    expect(markdown).toBe(String.raw`\# 1. \*no\* \[link\] a_b \<tag> 5 | 6` + '\n')
  })

  test('has a table with its first row as header, and a pipe inside of a cell escaped', async () => {
    const body = table(cell(paragraph('a')) + cell(paragraph('b')), cell(paragraph('1|2')) + cell(paragraph('3')))
    const { markdown } = await convertOffice(word(body), 'docx', OPTIONS)
    expect(markdown).toBe('| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n')
  })

  test('shows the content of a table that is only a frame', async () => {
    const inner = table(cell(paragraph('a')) + cell(paragraph('b')), cell(paragraph('1')) + cell(paragraph('2')))
    const { markdown } = await convertOffice(word(table(cell(inner + paragraph('')))), 'docx', OPTIONS)
    expect(markdown).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |\n')
  })

  test('yields its title and author as metadata', async () => {
    const { metadata } = await convertOffice(word(paragraph('x')), 'docx', OPTIONS)
    expect(metadata).toEqual({ title: 'Plans & costs', author: 'Ada' })
  })

  test('has the headings of an RTF whose styles name no outline level', async () => {
    const styles = String.raw`{\s1\fs40 Heading 1;}{\s2\fs32 heading 2;}{\s9 Title;}`
    const body = String.raw`\pard\s9 Cover\par\pard\s1 First\par\pard\s0 Text\par\pard\s2 Second\par`
    const { markdown } = await convertOffice(rtf(body, styles), 'rtf', OPTIONS)
    expect(markdown).toBe('# Cover\n\n# First\n\nText\n\n## Second\n')
  })

  test.each([
    ['a ZIP file that holds no document', zipOf({ 'a.txt': 'x' }), 'corrupt'],
    ['plain text', Buffer.from('hello'), 'wrong_type'],
  ])('is refused when it is %s', async (_what, bytes, problem) => {
    const conversion = convertOffice(bytes, 'docx', OPTIONS)
    await expect(conversion).rejects.toBeInstanceOf(ConversionError)
    await expect(conversion).rejects.toMatchObject({ problem })
  })
})
