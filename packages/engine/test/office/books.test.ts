import { describe, expect, test } from 'vitest'
import { convertOffice } from '../../src/office/convert-office.ts'
import { zip } from '../../../../test/support/zip.ts'

const OPTIONS = { removeBase64Images: true, onlyMainContent: true }

/** Chapters by name, as bodies of pages or as whole files, or absent; one whose name begins with `nav` is the table of contents. */
function book(title: string, chapters: Readonly<Record<string, string | Buffer | null>>, times = 1): Buffer {
  const names = Object.keys(chapters)
  const items = names.map((name) => {
    const properties = name.startsWith('nav') ? ' properties="nav"' : ''
    return `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"${properties}/>`
  })
  const spine = names.map((name) => `<itemref idref="${name}"/>`.repeat(times))
  const parts: Record<string, string | Uint8Array> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'o/book.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">i</dc:identifier><dc:title>${title}</dc:title><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
  }
  for (const [name, body] of Object.entries(chapters)) {
    if (body === null) continue
    parts[`o/${name}.xhtml`] =
      typeof body !== 'string'
        ? body
        : `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`
  }
  return zip(parts)
}

describe('an e-book', () => {
  test('has its title once, and no table of contents in its main content', async () => {
    const bytes = book('Tides', {
      cover: '<h1>Tides</h1>',
      nav: '<nav><h2>Contents</h2><ol><li><a href="one.xhtml">Moon</a></li></ol></nav>',
      one: '<h1>Tides</h1><h2>Moon</h2><p>It pulls.</p>',
      two: '<h2>Sun</h2><p>It pulls less.</p><h2>Sun</h2><p>Again.</p>',
    })
    const { markdown, marks } = await convertOffice(bytes, 'epub', { ...OPTIONS, anchors: true })
    expect(markdown).toBe('# Tides\n\n## Moon\n\nIt pulls.\n\n## Sun\n\nIt pulls less.\n\n## Sun\n\nAgain.\n')
    expect(marks?.map(({ anchor }) => ('chapter' in anchor ? anchor.chapter : 0))).toEqual([1, 2, 3, 4])
    const whole = await convertOffice(bytes, 'epub', { ...OPTIONS, onlyMainContent: false })
    expect(whole.markdown).toContain('## Contents')
  })

  test('that names a chapter 100,000 times contains it once, with a warning', async () => {
    const { markdown, warning } = await convertOffice(
      book('Tides', { one: '<p>It pulls.</p>' }, 100_000),
      'epub',
      OPTIONS,
    )
    expect([markdown, warning]).toEqual([
      '# Tides\n\nIt pulls.\n',
      expect.stringContaining('99999 repetitions of chapters'),
    ])
  })

  test('whose table of contents has a bare % in its address is read without it', async () => {
    const bytes = book('Tides', { 'nav 100%': '<nav><h2>Contents</h2></nav>', one: '<p>It pulls.</p>' })
    const { markdown } = await convertOffice(bytes, 'epub', OPTIONS)
    expect(markdown).toBe('# Tides\n\nIt pulls.\n')
  })

  test('separates lines in divisions, and terms from their definitions', async () => {
    const bytes = book('Tides', {
      poem: '<section><h2>Moon</h2><div class="lines"><div>It pulls,<br/>and pulls</div><div><i>the sea</i> <b>away</b>.</div></div></section>',
      terms: '<dl><dt>Ebb</dt><dd>Out.</dd><dt>Flow</dt><dd><p>In.</p></dd></dl>',
      kept: '<ul><li><div>One</div></li><li>Two</li></ul><table><tr><td><div>A</div></td><td>B</td></tr></table><div> <img src="a.png" alt=""/> </div>',
    })
    const { markdown } = await convertOffice(bytes, 'epub', OPTIONS)
    expect(markdown).toBe(
      '# Tides\n\n## Moon\n\nIt pulls,\\\nand pulls\n\n*the sea* **away**.\n\nEbb\n\nOut.\n\nFlow\n\nIn.\n\n- One\n- Two\n\n| A | B |\n| --- | --- |\n',
    )
  })

  test.each([
    ['a bare ampersand', '<p>Mr. Hart & Son</p><p>End.</p>', 'Mr. Hart & Son\n\nEnd.'],
    ['a bare sign', '<p>It is 1 < 2.</p><p>End.</p>', 'It is 1 \\< 2.\n\nEnd.'],
    ['an element that was never closed', '<p>One<br>two.</p><p>End.</p>', 'One\\\ntwo.\n\nEnd.'],
    ['an end without a start', '<p>One.</p></div><p>End.</p>', 'One.\n\nEnd.'],
    ['a script', '<script>if (a < b && c) x()</script><p>One.</p><p>End.</p>', 'One.\n\nEnd.'],
  ])('keeps a chapter with %s', async (_, body, shown) => {
    const { markdown, warning } = await convertOffice(
      book('Tides', { one: '<p>Before.</p>', two: body }),
      'epub',
      OPTIONS,
    )
    expect(markdown).toBe(`# Tides\n\nBefore.\n\n${shown}\n`)
    expect(warning).toBeNull()
  })

  test('keeps a damaged chapter in the encoding that it declares, and one in UTF-16', async () => {
    const page = (encoding: string): string =>
      `<?xml version="1.0" encoding="${encoding}"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Été & hiver</p></body></html>`
    for (const chapter of [
      Buffer.from(page('ISO-8859-1'), 'latin1'),
      Buffer.from(`\uFEFF${page('UTF-16')}`, 'utf16le'),
      Buffer.from(page('UTF-8')),
    ]) {
      const { markdown } = await convertOffice(book('Tides', { one: chapter }), 'epub', OPTIONS)
      expect(markdown).toBe('# Tides\n\nÉté & hiver\n')
    }
  })

  test('names the chapters that are drawings or absent', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text>Spring tide</text></svg>'
    const bytes = book('Tides', { one: '<p>It pulls.</p>', two: Buffer.from(drawing), three: null })
    const { markdown, warning } = await convertOffice(bytes, 'epub', OPTIONS)
    expect(markdown).toBe('# Tides\n\nIt pulls.\n')
    expect(warning).toBe('Left out of the Markdown: 2 chapters that could not be read.')
  })

  test('has its formulas as LaTeX in place', async () => {
    const math = (display: string): string =>
      `<math xmlns="http://www.w3.org/1998/Math/MathML"${display}><mfrac><mi>a</mi><mn>2</mn></mfrac></math>`
    const one = `<p>Half is ${math('')}.</p>${math(' display="block"')}<p>End.</p>`
    const { markdown } = await convertOffice(book('M', { one }), 'epub', OPTIONS)
    expect(markdown).toBe('# M\n\nHalf is $\\frac{a}{2}$.\n\n$$\\frac{a}{2}$$\n\nEnd.\n')
  })
})
