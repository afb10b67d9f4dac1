import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseOptionsSchema } from '#src/contract/options.ts'
import { convertLargeHtml } from '#src/engine/html/convert-large-html.ts'
import { markdownToHtml } from '#src/engine/html/markdown-formats.ts'
import { runsScript } from '#src/engine/scripts-in-addresses.ts'
import { Random } from '../../support/random.ts'
import { convert } from './convert.ts'
import { scriptIn, shownBy } from './find-script.ts'
import { hostilePage } from './hostile-page.ts'
import { seedFrom } from '../../support/seed.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const seed = seedFrom('SCRIPT_SEED', 'fresh')

/** `SCRIPT_DRAWS=1000` for a long run. */
const draws = Number(process.env['SCRIPT_DRAWS'] ?? 30)

describe('scripts of a page', () => {
  test(
    'are in no Markdown, HTML or link of it, whatever holds them, as a tree or as a stream',
    async () => {
      const random = new Random(seed)
      await using folder = await tempFolder()
      const path = join(folder.path, 'page.html')
      for (let draw = 0; draw < draws; draw++) {
        const page = hostilePage(random)
        await writeFile(path, page)
        const input = { path, contentType: 'text/html', baseUrl: null }
        const conversions = [
          await convert(page, { onlyMainContent: true }),
          await convert(page, { onlyMainContent: false }, 'https://x/y'),
          await convertLargeHtml(input, parseOptionsSchema.parse({ onlyMainContent: false })),
        ]
        for (const [index, { markdown, html, links }] of conversions.entries()) {
          const found = [
            shownBy(markdown),
            html ?? '',
            ...links.map((link) => `<a href="${link.replace(/&/g, '&amp;')}">`),
          ].map(scriptIn)
          expect(found, `seed ${seed}, draw ${draw}, way ${index}: ${page}`).toEqual(found.map(() => null))
          // What the main content of such a page is, is drawn by chance.
          if (index > 0) expect(markdown, `seed ${seed}, draw ${draw}, way ${index}: ${page}`).toContain('the start')
        }
      }
    },
    30_000 + 100 * draws,
  )

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
