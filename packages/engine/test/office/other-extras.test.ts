import { describe, expect, test } from 'vitest'
import type { Extension } from '@sluice/contract'
import { convertOffice } from '../../src/office/convert-office.ts'
import { zip } from '../../../../test/support/zip.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }
const convert = (bytes: Buffer, extension: Extension, options = OPTIONS) => convertOffice(bytes, extension, options)

const NAMESPACES = ['office', 'text', 'style', 'drawing', 'table', 'chart']
  .map((name) => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')
const LINKS = 'xmlns:xlink="http://www.w3.org/1999/xlink"'

function openFile(kind: string, body: string, styles = '', others: Readonly<Record<string, string>> = {}): Buffer {
  const mimetype = `application/vnd.oasis.opendocument.${kind}`
  return zip({
    mimetype,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mimetype}"/></manifest:manifest>`,
    'content.xml': `<office:document-content ${NAMESPACES} ${LINKS}>${styles}<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...others,
  })
}

function openDocument(): Buffer {
  const object = (name: string): string =>
    `<text:p><draw:frame><draw:object xlink:href="./${name}"/></draw:frame></text:p>`
  return openFile('text', `<text:p>Body</text:p>${object('Object 1')}${object('Object 2')}`, '', {
    'styles.xml': `<office:document-styles ${NAMESPACES}><office:master-styles><style:master-page style:name="S"><style:header><text:p>Head of the page</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p><text:p>Foot *</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`,
    'Object 1/content.xml': '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>',
    'Object 2/content.xml': `<office:document-content ${NAMESPACES}><chart:chart><chart:title><text:p>Boats</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:document-content>`,
  })
}

describe('an OpenDocument text', () => {
  test('has its chart in the Markdown, its formula as LaTeX, and its header and footer in the metadata', async () => {
    expect(await convert(openDocument(), 'odt')).toMatchObject({
      markdown:
        '<!-- header: Head of the page -->\n\nBody\n\n$$\nx\n$$\n\n**Boats**\n\n| May | 12 |\n| --- | --- |\n\n<!-- footer: Foot \\* -->\n',
      metadata: { header: ['Head of the page'], footer: [String.raw`Foot \*`] },
      warning: null,
    })
    const all = await convert(openDocument(), 'odt', { ...OPTIONS, onlyMainContent: false })
    expect(all.markdown).toMatch(/^Head of the page\n\nBody\n/)
  })

  test('has only its title as a heading, by its style or a derived style', async () => {
    const styles =
      '<office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/></office:automatic-styles>'
    const box = '<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>'
    const body = `<text:p text:style-name="Title"/><text:p text:style-name="P1">Boats${box}</text:p><text:p text:style-name="P2">text</text:p>`
    const { markdown } = await convert(openFile('text', body, styles), 'odt')
    expect(markdown).toMatch(/^# Boats\b/)
    expect(markdown).toMatch(/\n\ntext\n$/)
    expect((await convert(openFile('text', '<text:p text:style-name="Title">Boats</text:p>'), 'odt')).markdown).toBe(
      '# Boats\n',
    )
  })

  test('has a nested list in its item, also when a continued list begins with it', async () => {
    const item = (content: string): string => `<text:list-item>${content}</text:list-item>`
    const list = (...items: string[]): string => `<text:list>${items.join('')}</text:list>`
    const line = (text: string): string => item(`<text:p>${text}</text:p>`)
    const continued = list(line('one'), line('two')) + list(item(list(line('two a'))), line('three'))
    expect((await convert(openFile('text', continued), 'odt')).markdown).toBe('- one\n- two\n  - two a\n- three\n')
    const alone = list(item(list(line('a'), line('b'))))
    expect((await convert(openFile('text', alone), 'odt')).markdown).toBe('- a\n- b\n')
  })
})

describe('a comment of an OpenDocument file', () => {
  const annotation =
    '<office:annotation><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ada</dc:creator><text:p>Too *long*</text:p></office:annotation>'
  test('follows its paragraph in a text, or is within it when all content is requested', async () => {
    const text = openFile('text', `<text:p>One ${annotation}two</text:p><text:p>Three</text:p>`)
    expect((await convert(text, 'odt')).markdown).toBe('One two\n\n<!-- comment by Ada: Too \\*long\\* -->\n\nThree\n')
    expect((await convert(text, 'odt', { ...OPTIONS, onlyMainContent: false })).markdown).toBe(
      'One \\[Comment by Ada: Too \\*long\\*\\]two\n\nThree\n',
    )
  })

  test('appears on its slide', async () => {
    const slides = openFile(
      'presentation',
      `<draw:page draw:name="1"><draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame>${annotation}</draw:page>`,
    )
    expect((await convert(slides, 'odp')).markdown).toMatch(/One\n\nComment by Ada: Too \\\*long\\\*\n$/)
  })
})

test('a slide of an OpenDocument presentation shows its number within text, but not alone', async () => {
  const field = '<text:page-number>&lt;number&gt;</text:page-number>'
  const box = (text: string): string =>
    `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const slide = (name: string): string =>
    `<draw:page draw:name="${name}">${box(`${name}, slide ${field} of ten`)}${box(`<text:span>${field}</text:span>`)}</draw:page>`
  const { markdown } = await convert(openFile('presentation', slide('One') + slide('Two')), 'odp')
  expect(markdown).toBe('One, slide 1 of ten\n\nTwo, slide 2 of ten\n')
})

describe('an RTF document', () => {
  const rtf = (body: string): Buffer => Buffer.from(String.raw`{\rtf1\ansi${body}\par}`)

  test('has its header and footer in the metadata, and its comments below the text', async () => {
    const header = String.raw`{\header\pard Stra\'dfe {\b \u8364?} 5{\field{\*\fldinst PAGE}{\fldrslt 1}}\par}{\footer\pard Page \chpgn\par}`
    expect(await convert(rtf(String.raw`${header}\pard Body{\*\annotation\pard Too long}`), 'rtf')).toMatchObject({
      markdown: '<!-- header: Straße € 51 -->\n\nBody\n\n<!-- comment: Too long -->\n',
      metadata: { header: ['Straße € 51'] },
      warning: null,
    })
  })

  test('has its formulas as LaTeX in place', async () => {
    const math = String.raw`{\mf{\mfPr{\*\mctrlPr}}{\mnum{\mr\mscr0\msty2 {\f1 a}}}{\mden{\msSup{\me{\mr b}}{\msup{\mr\u178?}}}}}`
    const nary = String.raw`{\mnary{\mnaryPr{\mchr\u8721?}}{\msub{\mr i=1}}{\msup{\mr n}}{\me{\mr i}}}`
    const body = String.raw`\pard so {\mmath{\*\moMath${math}}} it is\par\pard{\mmath{\*\moMathPara{\*\moMath${nary}}}}`
    expect((await convert(rtf(body), 'rtf')).markdown).toBe('so $\\frac{a}{b^{²}}$ it is\n\n$$\\sum_{i=1}^{n}i$$\n')
  })

  test('names its embedded files, and pictures when it holds nothing else', async () => {
    const object = String.raw`{\object\objemb{\*\objclass Word.Document.8}{\*\objdata 01}{\result\pard Shown\par}}`
    const { markdown, warning } = await convert(
      rtf(String.raw`\pard Annexes and further parts of this contract ${object}`),
      'rtf',
    )
    expect(markdown).toContain('Shown')
    expect(warning).toBe('Left out of the Markdown: 1 embedded file.')
    const scan = String.raw`\pard{\*\shppict{\pict\pngblip 00}}{\nonshppict{\pict\wmetafile8 00}}`
    expect((await convert(rtf(scan), 'rtf')).warning).toBe(
      'Left out of the Markdown: 1 picture, whose text is not read in Office files.',
    )
  })

  test('keeps the cells of a row that holds a text box', async () => {
    const box = String.raw`{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard Box\par}}{\shprslt\pard Box}}`
    const row = String.raw`\trowd\cellx900\cellx1800\pard\intbl A\cell\pard\intbl B ${box}\cell\row\pard`
    expect((await convert(rtf(row), 'rtf')).markdown).toBe('| A | B Box |\n| --- | --- |\n')
  })

  test('omits the text for readers without nested tables', async () => {
    const nested =
      '\\trowd\\cellx5000\\pard\\intbl\\itap2 inner a\\nestcell inner b\\nestcell{\\*\\nesttableprops\\trowd\\cellx2000\\cellx4000\\nestrow}{\\nonesttables for old readers\\par}\\pard\\intbl outer\\cell\\row'
    const { markdown } = await convert(Buffer.from(`{\\rtf1\\ansi ${nested}\\pard after\\par}`), 'rtf')
    for (const text of ['inner a', 'inner b', 'outer', 'after']) expect(markdown).toContain(text)
    expect(markdown).not.toContain('old readers')
  })

  /** A mark of a cell or row as Word writes it, with one for readers that know no tables within tables. */
  const inner = (text: string): string => `${text}\\nestcell{\\nonesttables\\par }`
  const innerRow = (first: string, second: string): string =>
    `\\pard\\intbl\\itap2 ${inner(first)}${inner(second)}{\\*\\nesttableprops\\trowd\\cellx900\\cellx1800\\nestrow}{\\nonesttables\\par }`

  test('has each row of a nested table as a line of its cell, with leading numbers', async () => {
    const row = `\\trowd\\cellx5000\\cellx9000${innerRow('RCA', '40-44')}${innerRow('LM', '0 ')}\\pard\\intbl after\\cell\\pard\\intbl B\\cell\\row\\pard`
    expect((await convert(rtf(row), 'rtf')).markdown).toBe('| RCA / 40-44<br>LM / 0<br>after | B |\n| --- | --- |\n')
  })

  test('has the cells of a framed table in their columns, including empty and repeated ones', async () => {
    const columns = '\\trowd\\cellx900\\cellx1800\\cellx2700'
    const line = (before: string, ...cells: string[]): string =>
      `\\pard\\intbl\\itap2${before}${cells.map((text) => `${text}\\nestcell `).join('')}{\\*\\nesttableprops${columns}\\nestrow}`
    const frame = `\\trowd\\cellx5000${line('', 'p1', '', 'p3')}${line('', 'q1', 'q2', 'q3')}\\pard\\intbl\\cell\\row\\pard`
    expect((await convert(rtf(frame), 'rtf')).markdown).toBe('| p1 |  | p3 |\n| --- | --- | --- |\n| q1 | q2 | q3 |\n')
    const twice = `\\trowd\\cellx5000\\cellx9000${line(`{\\*\\nesttableprops${columns}}`, 'n1', 'n2')}\\pard\\intbl A\\cell B\\cell\\row\\pard`
    expect((await convert(rtf(twice), 'rtf')).markdown).toBe('| n1 / n2<br>A | B |\n| --- | --- |\n')
  })

  test('has a table within a one-cell frame as a table', async () => {
    const row = `\\trowd\\cellx5000\\pard\\intbl before\\par ${innerRow('RCA', '40')}${innerRow('LM', '7')}\\pard\\intbl after\\cell\\row\\pard`
    const table = '| RCA | 40 |\n| --- | --- |\n| LM | 7 |'
    expect((await convert(rtf(row), 'rtf')).markdown).toBe(`before\n\n${table}\n\nafter\n`)
  })

  test('omits text that a revision deleted, and keeps inserted text', async () => {
    const body = String.raw`\pard Pay {\deleted\revauth1 ten {\b pounds\'21}}{\revised nine} now\deleted , late\plain .`
    expect((await convert(rtf(body), 'rtf')).markdown).toBe('Pay nine now.\n')
  })
})
