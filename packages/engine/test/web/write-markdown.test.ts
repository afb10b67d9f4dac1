import { describe, expect, test } from 'vitest'
import { markdownOf } from './convert.ts'

describe('the Markdown of an HTML table', () => {
  test('repeats a cell in every row and column that it spans', async () => {
    const page = `<table><tr><th>Year</th><th colspan=2>Sales</th></tr>
      <tr><td rowspan=2>2023</td><td>Q1</td><td>10</td></tr><tr><td>Q2</td><td>12</td></tr></table>`
    expect(await markdownOf(page)).toBe(
      '| Year | Sales | Sales |\n| - | - | - |\n| 2023 | Q1 | 10 |\n| 2023 | Q2 | 12 |',
    )
  })

  test('uses the first row as head when the table has none', async () => {
    const page = '<table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>'
    expect(await markdownOf(page)).toBe('| A | B |\n| - | - |\n| 1 | 2 |')
  })

  test('keeps its rows intact when cells hold lists, paragraphs, listings and pipes', async () => {
    const page = `<table><tr><th>Step</th><th>Do</th></tr>
      <tr><td><p>first</p><p>second</p></td><td><ul><li>one</li><li>two</li></ul></td></tr>
      <tr><td><ol start=3><li>three</li><li>four</li></ol></td><td><pre><code>a | b
c</code></pre></td></tr></table>`
    expect((await markdownOf(page)).split('\n')).toEqual([
      '| Step | Do |',
      '| - | - |',
      '| first<br>second | - one<br>- two |',
      '| 3. three<br>4. four | `a \\| b`<br>`c` |',
    ])
  })

  test('replaces a layout table with its contents', async () => {
    const page = `<table><tr><td><h1>Title</h1><p>Text of the page.</p></td><td><table><tr><th>K</th><th>V</th></tr><tr><td>a</td><td>1</td></tr></table></td></tr></table>`
    expect(await markdownOf(page)).toBe('# Title\n\nText of the page.\n\n| K | V |\n| - | - |\n| a | 1 |')
  })

  test('has the caption before the table and keeps the alignment', async () => {
    const page =
      '<table><caption>Table 1. Prices</caption><tr><th>Item</th><th align=right>Price</th></tr><tr><td>Tea</td><td>2</td></tr></table>'
    expect(await markdownOf(page)).toBe('Table 1. Prices\n\n| Item | Price |\n| - | -: |\n| Tea | 2 |')
  })

  test('stays below 2 million characters when spans ask for billions of cells', async () => {
    const row = '<tr><td rowspan=60000 colspan=1000>x</td><td>y</td></tr>'
    const markdown = await markdownOf(`<table>${row.repeat(100)}</table>`)
    expect(markdown.length).toBeLessThan(2_000_000)
  })
})

describe('the Markdown of HTML text', () => {
  test('keeps superscripts and subscripts as tags', async () => {
    expect(await markdownOf('<p>H<sub>2</sub>O, 10<sup>6</sup></p>')).toBe('H<sub>2</sub>O, 10<sup>6</sup>')
  })

  test('moves spaces out of emphasis and drops empty emphasis', async () => {
    expect(await markdownOf('<p><b>Name: </b>Ada<i> </i><b></b> <strong><b>twice</b></strong></p>')).toBe(
      '**Name:** Ada **twice**',
    )
  })

  test('moves line breaks out of emphasis and drops paragraphs of line breaks', async () => {
    expect(
      await markdownOf('<p>First</p><p><b><br>Aim</b> x<br>\n <i>y<br></i>z</p><p><br> <br></p><h2><b> Way</b></h2>'),
    ).toBe('First\n\n**Aim** x  \n*y*  \nz\n\n## **Way**')
  })

  test('has no soft hyphens, zero-width spaces or no-break spaces', async () => {
    expect(await markdownOf('<p>a\u00a0b so\u00adft\u200b end</p>')).toBe('a b soft end')
  })

  test('breaks lines without a backslash', async () => {
    expect(await markdownOf('<p>one<br>two</p><h2>a<br>b</h2>')).toBe('one  \ntwo\n\n## a b')
  })

  test('leaves URLs without escapes', async () => {
    expect(await markdownOf('<p>See https://example.org/a_b and <a>here</a>.</p>')).toContain('https://example.org/a')
  })
})

describe('the Markdown of HTML blocks', () => {
  test('names the language of a listing under the markup of three highlighters', async () => {
    const pages = [
      '<pre><code class="language-ts">let a</code></pre>',
      '<pre class="brush: ts">let a</pre>',
      '<pre data-lang="ts"><code>let a</code></pre>',
    ]
    for (const page of pages) expect(await markdownOf(page)).toBe('```ts\nlet a\n```')
  })

  test('has no blank lines in nested lists', async () => {
    expect(await markdownOf('<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>')).toBe('- a\n  - b\n- c')
  })

  test('keeps the terms of a definition list with their definitions', async () => {
    expect(await markdownOf('<dl><dt>Gate</dt><dd>decides</dd><dt>Ledger</dt><dd>remembers</dd></dl>')).toBe(
      '- **Gate**\n\n  decides\n\n- **Ledger**\n\n  remembers',
    )
  })

  test('has figures with their captions and details with their summaries', async () => {
    const page = `<figure><img src="https://e.org/a.png" alt="A map"><figcaption>Fig. 1: the map</figcaption></figure>
      <details><summary>More</summary><p>Hidden text.</p></details>`
    expect(await markdownOf(page)).toBe('![A map](https://e.org/a.png)\n\nFig. 1: the map\n\nMore\n\nHidden text.')
  })

  test('has the TeX annotation of a MathML formula', async () => {
    const page = `<p>So <math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^2</annotation></semantics></math>.</p>`
    expect(await markdownOf(page)).toBe('So $x^2$.')
  })

  test('drops links of headings to themselves', async () => {
    expect(await markdownOf('<h2>Install<a class="headerlink" href="#install">¶</a></h2>')).toBe('## Install')
  })
})
