import { describe, expect, test } from 'vitest'
import { removeBase64Images } from '#src/engine/html/base64-images.ts'
import {
  formatsOfMarkdown,
  imagesOfMarkdown,
  linksOfMarkdown,
  markdownToHtml,
} from '#src/engine/html/markdown-formats.ts'

const MARKDOWN = `# Title

See [a](https://e.org/a "T"), <https://e.org/b>, https://e.org/c, [a again](https://e.org/a) and ![i](https://e.org/i.png).

| A | B |
| - | -: |
| 1 | ~~2~~ |

<table><tr><td colspan="2"><a href="https://e.org/d">d</a></td></tr></table>
`

describe('Markdown as other formats', () => {
  test('is HTML, with GFM and with the HTML that is in it', () => {
    const html = markdownToHtml(MARKDOWN)
    expect(html).toContain('<h1>Title</h1>')
    expect(html).toContain('<td align="right"><del>2</del></td>')
    expect(html).toContain('<td colspan="2"><a href="https://e.org/d">d</a></td>')
  })

  test('is its links and images, each once', () => {
    const links = ['a', 'b', 'c', 'd'].map((name) => `https://e.org/${name}`)
    expect(linksOfMarkdown(MARKDOWN)).toEqual(links)
    expect(imagesOfMarkdown(MARKDOWN)).toEqual(['https://e.org/i.png'])
    expect(formatsOfMarkdown(MARKDOWN)).toMatchObject({ links, images: ['https://e.org/i.png'] })
  })
})

describe('base64 images in Markdown', () => {
  const data = 'data:image/png;base64,iVBORw0KGgo='

  test.each([
    [`a ![alt](${data}) b`, 'a ![alt](<Base64-Image-Removed>) b'],
    [`![](${data} "title")`, '![](<Base64-Image-Removed>)'],
    [`![al\\]t](<${data}>)`, '![al\\]t](<Base64-Image-Removed>)'],
    [`<img alt="x" src="${data}">`, '<img alt="x" src="">'],
    [`![x][i]\n\n[i]: ${data}`, '![x][i]\n\n[i]: <Base64-Image-Removed>'],
    ['![kept](https://e.org/data.png) data:image/ in text', '![kept](https://e.org/data.png) data:image/ in text'],
  ])('%s', (markdown, expected) => {
    expect(removeBase64Images(markdown)).toBe(expected)
  })
})
