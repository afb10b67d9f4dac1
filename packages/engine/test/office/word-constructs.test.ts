import { describe, expect, test } from 'vitest'
import { convertOffice } from '../../src/office/convert-office.ts'
import { displayed } from './generated/equations.ts'
import { Draw } from './generated/draw.ts'
import { packageOf, type Part } from './generated/package-of.ts'
import { ommlToLatex } from '../../src/ooxml/omml-to-latex.ts'
import { childOf, parseXml } from '../../src/ooxml/xml-tree.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml'

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const math = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`

function word(body: string, parts: readonly (Part & { readonly kind: string })[] = []): Buffer {
  const xml = `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`
  const refersTo = Object.fromEntries(parts.map(({ kind, path }, index) => [`r${index + 1}`, [kind, path] as const]))
  return packageOf([{ path: 'word/document.xml', type: `${TYPE}.document.main+xml`, xml, refersTo }, ...parts], 6)
}

const markdownOf = async (bytes: Buffer, options = OPTIONS): Promise<string> =>
  (await convertOffice(bytes, 'docx', options)).markdown

describe('a Word document', () => {
  test('shows formulas as LaTeX, within a line, on a line of their own and in a table', async () => {
    const square = `<m:oMath><m:sSup><m:e>${math('a')}</m:e><m:sup>${math('2')}</m:sup></m:sSup>${math('|π')}</m:oMath>`
    const cell = (content: string): string => `<w:tc><w:p>${content}</w:p></w:tc>`
    const table = `<w:tbl><w:tr>${cell(run('x'))}${cell(run('y'))}</w:tr><w:tr>${cell(run('1'))}${cell(square)}</w:tr></w:tbl>`
    const body = `<w:p>${run('so ')}${square}</w:p><w:p><m:oMathPara>${square}</m:oMathPara></w:p>${table}`
    expect(await markdownOf(word(body))).toBe(
      'so $a^{2}| \\pi$\n\n$$a^{2}| \\pi$$\n\n| x | y |\n| --- | --- |\n| 1 | $a^{2}\\| \\pi$ |\n',
    )
  })

  test('keeps table rows in content controls, including repeated sections', async () => {
    const row = (text: string): string => `<w:tr><w:tc><w:p>${run(text)}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr>`
    const control = (content: string): string =>
      `<w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`
    const rows = row('a') + control(row('b')) + control(control(row('c')) + control(row('d') + row('e')))
    const table = `<w:tbl>${rows}<w:customXml w:element="x">${row('f')}</w:customXml>${row('g')}</w:tbl>`
    expect(await markdownOf(word(`${table}<w:p>${run('more')}</w:p>`))).toBe(
      `| a |  |\n| --- | --- |\n${['b', 'c', 'd', 'e', 'f', 'g'].map((name) => `| ${name} |  |\n`).join('')}\nmore\n`,
    )
  })

  test('keeps non-breaking hyphens, and a text box next to text on a path', async () => {
    const shapes = `<w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape><v:textpath string="Sale"/></v:shape><v:shape><v:textbox><w:txbxContent><w:p>${run('boxed')}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>`
    const hyphened = `<w:r><w:t>555</w:t><w:noBreakHyphen/><w:t>0199</w:t></w:r>`
    const markdown = await markdownOf(word(`<w:p>${hyphened}</w:p><w:p>${shapes}</w:p>`))
    for (const text of ['555-0199', 'Sale', 'boxed']) expect(markdown).toContain(text)
  })

  test('has check boxes as tasks in paragraphs, lists and cells, unless several share a line', async () => {
    const line = (text: string, properties = ''): string => `<w:p>${properties}${run(text)}</w:p>`
    const cell = (...lines: string[]): string => `<w:tc>${lines.map((text) => line(text)).join('')}</w:tc>`
    const table = `<w:tbl><w:tr>${cell('Choose')}${cell('Note')}</w:tr><w:tr>${cell('☒ Tea', '☐ Milk')}${cell('☑')}</w:tr></w:tbl>`
    const body = [line('☒ Design'), line('☐Tests *'), line('☐ Yes ☒ No'), table]
    expect(await markdownOf(word(body.join('')))).toBe(
      '- [x] Design\n\n- [ ] Tests \\*\n\n☐ Yes ☒ No\n\n| Choose | Note |\n| --- | --- |\n| - [x] Tea<br>- [ ] Milk | ☑ |\n',
    )
  })

  test('names documents that Word would include on opening it', async () => {
    const { warning } = await convertOffice(word(`<w:p>${run('x')}</w:p><w:altChunk r:id="r9"/>`), 'docx', OPTIONS)
    expect(warning).toBe('Left out of the Markdown: 1 inserted document.')
  })

  test('has comments after their paragraph, or as footnotes when all content is requested', async () => {
    const xml = `<w:comments ${NAMESPACES}><w:comment w:id="7" w:author="Ada"><w:p>${run('too *long*')}</w:p></w:comment></w:comments>`
    const part = { kind: 'comments', path: 'word/comments.xml', type: `${TYPE}.comments+xml`, xml }
    const body = `<w:p>${run('text')}<w:r><w:commentReference w:id="7"/></w:r></w:p><w:p>${run('more')}</w:p>`
    const bytes = word(body, [part])
    expect(await markdownOf(bytes)).toBe('text\n\n<!-- comment by Ada: too \\*long\\* -->\n\nmore\n')
    expect(await markdownOf(bytes, { ...OPTIONS, onlyMainContent: false })).toBe(
      'text[^c1]\n\nmore\n\n[^c1]: Ada: too \\*long\\*\n',
    )
  })

  test('has comments of a table after the table', async () => {
    const xml = `<w:comments ${NAMESPACES}><w:comment w:id="7"><w:p>${run('why -->?')}</w:p></w:comment></w:comments>`
    const part = { kind: 'comments', path: 'word/comments.xml', type: `${TYPE}.comments+xml`, xml }
    const cell = (content: string): string => `<w:tc><w:p>${content}</w:p></w:tc>`
    const reference = '<w:r><w:commentReference w:id="7"/></w:r>'
    const body = `<w:tbl><w:tr>${cell(run('x') + reference)}${cell(run('y'))}</w:tr></w:tbl><w:p>${run('more')}</w:p>`
    expect(await markdownOf(word(body, [part]))).toBe(
      '| x | y |\n| --- | --- |\n\n<!-- comment: why - ->? -->\n\nmore\n',
    )
  })

  const header = {
    kind: 'header',
    path: 'word/header1.xml',
    type: `${TYPE}.header+xml`,
    xml: `<w:hdr ${NAMESPACES}><w:p>${run('ACME Ltd')}</w:p><w:p>${run('Page ')}<w:fldSimple w:instr=" PAGE ">${run('1')}</w:fldSimple></w:p></w:hdr>`,
  }

  test('has its header in the text when all content is requested, else in the metadata', async () => {
    const text = 'Dear reader of letters '.repeat(12).trim()
    const bytes = word(`<w:p>${run(text)}</w:p>`, [header])
    expect(await markdownOf(bytes, { ...OPTIONS, onlyMainContent: false })).toBe(`ACME Ltd\n\n${text}\n`)
    expect(await convertOffice(bytes, 'docx', OPTIONS)).toMatchObject({
      markdown: `${text}\n`,
      metadata: { header: ['ACME Ltd'] },
      warning: null,
    })
  })

  test('with a large letterhead is complete, with the letterhead in a comment of the Markdown', async () => {
    const letter = word(`<w:p>${run('Dear reader of letters')}</w:p>`, [header])
    expect(await convertOffice(letter, 'docx', OPTIONS)).toMatchObject({
      markdown: '<!-- header: ACME Ltd -->\n\nDear reader of letters\n',
      metadata: { header: ['ACME Ltd'] },
      warning: null,
    })
  })

  test('names equations in pictures of old equation editors', async () => {
    const body = `<w:p>${run('see')}<w:r><w:object><o:OLEObject xmlns:o="x" ProgID="Equation.DSMT4"/></w:object></w:r></w:p>`
    const { warning } = await convertOffice(word(body), 'docx', OPTIONS)
    expect(warning).toBe('Left out of the Markdown: 1 equation stored as MathType or Equation Editor objects.')
  })
})

test('every formula is LaTeX with closed braces and delimiters, and each identifier once', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const draw = new Draw(seed)
    const paragraph = childOf(parseXml(displayed(draw, 'equation')), 'm:oMathPara')
    const latex = paragraph === undefined ? '' : ommlToLatex(paragraph)
    const counts = (pattern: RegExp): number => latex.match(pattern)?.length ?? 0
    expect({ seed, open: counts(/(?<!\\)\{/g), left: counts(/\\left(?![a-z])/g), begin: counts(/\\begin/g) }).toEqual({
      seed,
      open: counts(/(?<!\\)\}/g),
      left: counts(/\\right(?![a-z])/g),
      begin: counts(/\\end/g),
    })
    for (const { word: name } of draw.words) expect(latex.split(name).length, `seed ${seed}: ${name}`).toBe(2)
  }
})
