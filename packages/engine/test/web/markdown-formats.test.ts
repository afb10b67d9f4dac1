import { describe, expect, test } from 'vitest'
import { markdownToHtml } from '../../src/web/markdown-formats.ts'

const MARKDOWN = `# Title

See [a](https://e.org/a "T"), <https://e.org/b>, https://e.org/c, [a again](https://e.org/a) and ![i](https://e.org/i.png).

| A | B |
| - | -: |
| 1 | ~~2~~ |

<table><tr><td colspan="2"><a href="https://e.org/d">d</a></td></tr></table>
`

describe('Markdown in another format', () => {
  test('is HTML, with GFM and with its embedded HTML', () => {
    const html = markdownToHtml(MARKDOWN)
    expect(html).toContain('<h1>Title</h1>')
    expect(html).toContain('<td align="right"><del>2</del></td>')
    expect(html).toContain('<td colspan="2"><a href="https://e.org/d">d</a></td>')
  })
})
