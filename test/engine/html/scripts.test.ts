import { describe, expect, test } from 'vitest'
import { markdownToHtml } from '#src/engine/html/markdown-formats.ts'
import { runsScript } from '#src/engine/scripts-in-addresses.ts'
import { Random } from '../../support/random.ts'
import { convert } from './convert.ts'
import { seedFrom } from '../../support/seed.ts'

const seed = seedFrom('SCRIPT_SEED', 'fresh')

const SCHEMES = [
  'javascript:',
  'JaVaScRiPt:',
  'java\tscript:',
  'java\nscript:',
  ' \u0001javascript:',
  'vbscript:',
  'data:text/html,',
  'data:text/html;base64,',
]
const HOLDERS = [
  (address: string) => `<a href="${address}run()">text</a>`,
  (address: string) => `<img src="${address}run()" alt="text">`,
  (address: string) => `<form action="${address}run()"><p>text</p></form>`,
  (address: string) => `<svg><a xlink:href="${address}run()"><text>text</text></a></svg>`,
  (address: string) => `<iframe src="${address}run()"></iframe><p>text</p>`,
  (address: string) => `<object data="${address}run()">text</object>`,
  (address: string) => `<table background="${address}run()"><tr><td>text</td></tr></table>`,
  () => '<p onclick="run()" onMouseOver=run()>text</p>',
  () => '<iframe srcdoc="<script>run()</script>"></iframe><p>text</p>',
  () => '<script>run()</script><svg><script>run()</script></svg><p>text</p>',
  () => '<body onload="run()"><details ontoggle=run() open>text</details>',
]

describe('scripts of a page', () => {
  test('are in no Markdown and no HTML of it, whatever holds them', async () => {
    const random = new Random(seed)
    for (let draw = 0; draw < 60; draw++) {
      const parts = Array.from({ length: 1 + random.below(4) }, () => random.pick(HOLDERS)(random.pick(SCHEMES)))
      const page = `<html><body>${parts.join('<p>between</p>')}<p>text</p></body></html>`
      for (const onlyMainContent of [true, false]) {
        const { markdown, html, links } = await convert(page, { onlyMainContent })
        expect(`${markdown}\n${html}\n${links.join(' ')}`, `seed ${seed}, draw ${draw}: ${page}`).not.toMatch(
          /run\(\)|<script/,
        )
        expect(markdown, `seed ${seed}, draw ${draw}: ${page}`).toContain('text')
      }
    }
  })

  test('are in no HTML that is made of Markdown', () => {
    const html = markdownToHtml(
      'a <b onclick="run()">b</b> [c](javascript:run())\n\n<script>run()</script>\n\n<img src=x onerror=run()>\n',
    )
    expect(html).toContain('<b>b</b>')
    expect(html).not.toContain('run()')
  })

  test('are no pictures in an address, and no words that begin like one', () => {
    for (const address of [
      'data:image/png;base64,AA==',
      'javascript.html',
      '/javascript:',
      'https://a/?javascript:',
      '#',
    ]) {
      expect(runsScript(address)).toBe(false)
    }
  })
})
