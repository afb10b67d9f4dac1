import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { convertLargeHtml } from '../../src/web/convert-large-html.ts'
import { convertCsv } from '../../src/sheets/convert-csv.ts'
import { convertLargeCsv } from '../../src/sheets/convert-large-csv.ts'
import { shared } from '../../../../test/support/shared.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

const { path: folder } = await shared(tempFolder())

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  return path
}

describe('a streamed table', () => {
  test.each([
    ['commas', 'a,b,c\n1,2,3\n'],
    ['semicolons', 'a;b\n"1;x";2\n'],
    ['quotes, and a break within a field', 'a,b\n"say ""hi""","two\nlines"\n'],
    ['rows that are too short', 'a,b,c\n1,2,3\n1\n2,3\n'],
    ['no line break at the end', 'a,b\r\n1,2'],
    ['another encoding', Buffer.from('name,stadt\nJörg,Köln\nJürgen,Münster\n', 'latin1')],
  ])('equals the table read at once, with %s', async (_, content) => {
    const whole = await convertCsv(Buffer.from(content), null)
    const streamed = await convertLargeCsv(await fileOf(content), null)
    expect(streamed.markdown.trim()).toBe(whole.markdown.trim())
  })

  test('shows fields that resemble Markdown literally', async () => {
    const { markdown } = await convertLargeCsv(await fileOf('a,b\n*x*,y|z\n_u_,a_b\n'), null)
    expect(markdown).toBe('| a | b |\n| --- | --- |\n| \\*x\\* | y\\|z |\n| \\_u\\_ | a_b |\n')
  })

  test('keeps every field, wherever its chunks end', async () => {
    const rows = Array.from({ length: 60_000 }, (_, row) => `${row},"ä ""${row}"" ü",x${row}`)
    const { markdown } = await convertLargeCsv(await fileOf(`id,text,code\n${rows.join('\n')}\n`), null)
    const lines = markdown.trim().split('\n')
    expect(lines).toHaveLength(60_002)
    for (let row = 0; row < 60_000; row += 1) expect(lines[row + 2]).toBe(`| ${row} | ä "${row}" ü | x${row} |`)
  })
})

const options = parseOptionsSchema.parse({})

describe('a streamed page', () => {
  test('has headings, lists, tables, links, listings and emphasis', async () => {
    const page = `<html><head><title>A &amp; B</title><style>x{}</style></head><body><nav>menu</nav><h1>Top</h1><p>Some <b>bold</b> text<br>and <a href="/x">a link</a> 1 &lt; 2 *</p><ul><li>one<li>two<ul><li>deep</ul></ul><ol><li>first</ol><table><tr><th>a<th>b<tr><td>1|2<td><p>x</p><p>y</p></table><pre>a  b\n  c</pre><p>end</body></html>`
    const path = await fileOf(page)
    const { markdown, links, metadata } = await convertLargeHtml(
      { path, contentType: null, baseUrl: 'https://e.org/' },
      options,
    )
    expect(metadata).toEqual({ title: 'A & B' })
    expect(links).toEqual(['https://e.org/x'])
    expect(markdown.replace(/\n{2,}/g, '\n')).toBe(
      [
        '# Top',
        'Some **bold** text\\\nand [a link](https://e.org/x) 1 \\< 2 \\*',
        '- one',
        '- two',
        '  - deep',
        '1. first',
        '| a | b |',
        '| --- | --- |',
        '| 1\\|2 | x y |',
        '```\na  b\n  c\n```',
        'end',
      ].join('\n'),
    )
  })

  test('gets no heading, list or quote that the page lacks', async () => {
    const path = await fileOf('<p># 1</p><p>- a</p><p>2. b</p><p>> c</p><ul><li>- d</li></ul>')
    const { markdown } = await convertLargeHtml({ path, contentType: null, baseUrl: null }, options)
    expect(markdown.replace(/\n{2,}/g, '\n')).toBe('\\# 1\n\\- a\n2\\. b\n\\> c\n- \\- d')
  })

  test('names its limitations', async () => {
    const path = await fileOf('<p>x</p>')
    const wanted = { ...options, excludeTags: ['nav'], formats: [{ type: 'html' as const }] }
    const { warning } = await convertLargeHtml({ path, contentType: null, baseUrl: null }, wanted)
    expect(warning).toContain('excludeTags were not applied, html is rendered from the Markdown')
  })
})
