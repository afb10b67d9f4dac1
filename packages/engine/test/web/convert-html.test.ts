import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConversionError } from '../../src/conversion.ts'
import { convert, markdownOf } from './convert.ts'

const NEWS = readFileSync(join(import.meta.dirname, 'pages', 'news.html'), 'utf8')
const PIXEL = 'data:image/png;base64,iVBORw0KGgo='

describe('the metadata of an HTML page', () => {
  test('uses the names of the contract, with arrays for repeated values', async () => {
    const { metadata } = await convert(NEWS)
    expect(metadata).toMatchObject({
      title: 'Harbour bridge to close for six months | The Eastport Courier',
      description: 'The bridge closes in March for the first full repair since 1961.',
      keywords: 'bridge, harbour, repair',
      language: 'en-GB',
      ogTitle: 'Harbour bridge to close for six months',
      ogSiteName: 'The Eastport Courier',
      ogLocale: 'en_GB',
      ogLocaleAlternate: ['cy_GB', 'fr_FR'],
      publishedTime: '2026-02-11T08:30:00Z',
    })
  })

  test('takes title, description and language from Open Graph when the page has no others', async () => {
    const page =
      '<meta property="og:title" content="T"><meta property="og:description" content="D"><meta property="og:locale" content="pt_BR"><meta name="theme" content="x">'
    expect((await convert(page)).metadata).toMatchObject({
      title: 'T',
      description: 'D',
      language: 'pt-BR',
      theme: 'x',
    })
  })

  test('is taken from the full page even when only a part of it is requested', async () => {
    expect((await convert(NEWS, { includeTags: ['blockquote'] })).metadata['language']).toBe('en-GB')
  })
})

describe('the html format of the engine', () => {
  test('has no script, style, noscript, meta, head or comment', async () => {
    const { html } = await convert(NEWS, { onlyMainContent: false })
    expect(html).not.toMatch(/<(?:script|style|noscript|meta|head|link)\b|<!--/)
    expect(html).toContain('<h1>Harbour bridge to close for six months</h1>')
  })

  test('has absolute addresses and the largest source of every image', async () => {
    const page = `<base href="/docs/"><a href="a.html">a</a><a href="#here">h</a>
      <img src="s.jpg" srcset="m.jpg 800w, l.jpg 1600w, s.jpg 400w"><img srcset="one.png, two.png 2x">
      <img src="${PIXEL}" data-src="/lazy.png"><picture><source srcset="p.webp 2x, q.webp"><img alt="p"></picture>`
    const { html, links, images } = await convert(page, { onlyMainContent: false }, 'https://example.org/en/page')
    expect(links).toEqual(['https://example.org/docs/a.html'])
    expect(images).toEqual(
      ['l.jpg', 'two.png', '../lazy.png', 'p.webp'].map((name) => new URL(name, 'https://example.org/docs/').href),
    )
    expect(html?.match(/srcset="[^"]*"/g)).toEqual(['srcset="https://example.org/docs/p.webp"'])
    expect(html).toContain('href="#here"')
  })

  test('resolves addresses by the canonical address of an uploaded file, and keeps them without one', async () => {
    const page = '<p><a href="../x">x</a></p>'
    expect((await convert(`<link rel="canonical" href="https://e.org/a/b">${page}`)).links).toEqual(['https://e.org/x'])
    expect((await convert(`<meta property="og:url" content="https://e.org/a/b">${page}`)).links).toEqual([
      'https://e.org/x',
    ])
    expect((await convert(page)).links).toEqual(['../x'])
  })

  test('follows the choice of tags', async () => {
    const { html, links } = await convert(NEWS, { includeTags: ['.meta'] })
    expect(html).toMatch(/^<div class="meta">.*<\/div>$/s)
    expect(links).toEqual(['https://courier.example/staff/maria-okafor'])
  })
})

describe('links and images of an HTML page', () => {
  test('are those of the content, each once, without empty targets', async () => {
    const page = `<p><a href="https://e.org/">1</a><a href="https://e.org/">2</a><a href="javascript:x()">3</a><a href="#top">4</a>
      <a href="mailto:a@e.org">5</a><img src="https://e.org/i.png"><img src="https://e.org/i.png"><img src="${PIXEL}"></p>`
    const { links, images } = await convert(page)
    expect(links).toEqual(['https://e.org/', 'mailto:a@e.org'])
    expect(images).toEqual(['https://e.org/i.png'])
  })
})

describe('base64 images of an HTML page', () => {
  const page = `<p>See <img alt="a [small] map" src="${PIXEL}">.</p>`

  test('leave their alt text', async () => {
    const { markdown, html } = await convert(page)
    expect(markdown).toBe('See ![a \\[small\\] map](<Base64-Image-Removed>).')
    expect(html).not.toContain('base64,')
    expect(html).toContain('alt="a [small] map"')
  })

  test('stay on request', async () => {
    expect(await markdownOf(page, { removeBase64Images: false })).toContain(`](${PIXEL})`)
  })
})

describe('in hostile and odd pages,', () => {
  test('nesting of thousands of levels is flattened, not lost', async () => {
    const page = `${'<div>'.repeat(2_000)}deep${'</div>'.repeat(2_000)}${'<ul><li>a'.repeat(100)}`
    const markdown = await markdownOf(page, { onlyMainContent: false })
    expect(markdown.startsWith('deep\n\n- a')).toBe(true)
    expect(markdown.match(/- a/g)).toHaveLength(100)
  })

  test('nesting beyond the limit is refused', async () => {
    await expect(convert('<div>'.repeat(300_000))).rejects.toThrow(ConversionError)
  })

  test('an empty page becomes empty Markdown', async () => {
    expect(await convert('')).toMatchObject({ markdown: '', html: '', links: [], images: [], warning: null })
  })

  test('XHTML elements close themselves', async () => {
    const page =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head><body><p id="x"/><a name="y" />Text<br/>more</body></html>'
    expect(await markdownOf(page)).toBe('Text  \nmore')
  })

  test('a table of 2,000 cells is converted completely', async () => {
    const row = `<tr>${'<td>cell</td>'.repeat(20)}</tr>`
    const markdown = await markdownOf(`<nav>m</nav><table>${row.repeat(100)}</table>`)
    expect(markdown.split('\n')).toHaveLength(101)
  })
})

test('a page of frames becomes its content without frames, and a link to each, with a warning', async () => {
  const page =
    '<html><head><title>T</title></head><frameset cols="1,2"><frame src="menu.html" name="Menu"><frame src="text.html"><noframes><body><p>No <b>frames</b></p></body></noframes></frameset></html>'
  const { markdown, warning } = await convert(page)
  expect(markdown).toContain('No **frames**')
  expect(markdown).toContain('[Menu](menu.html)')
  expect(markdown).toContain('[text.html](text.html)')
  expect(warning).toBe('The page consists of 2 frames, whose contents are not read.')
})

describe('a page with declarative shadow roots', () => {
  test('shows their content at any depth, and nothing of other templates', async () => {
    const shadow = (inside: string): string => `<x-a><template shadowrootmode="open">${inside}</template></x-a>`
    const page = `<p>Before.</p>${shadow(`<p>Tide</p>${shadow('<p>Moon</p><script>go()</script>')}`)}<template><p>Unseen</p></template>`
    const options = { onlyMainContent: false }
    expect((await markdownOf(page, options)).trim()).toBe('Before.\n\nTide\n\nMoon')
    const deep = `<p>Before.</p>${'<x-a><template shadowrootmode="open"><div>'.repeat(1_200)}Depth`
    expect(await markdownOf(deep, options)).toContain('Depth')
  })
})
