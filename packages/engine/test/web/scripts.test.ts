import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseOptionsSchema } from '@sluice/contract'
import { convertLargeHtml } from '../../src/web/convert-large-html.ts'
import { markdownToHtml } from '../../src/web/markdown-formats.ts'
import { runsScript } from '../../src/markup/scripts-in-addresses.ts'
import { Random } from '../../../../test/support/random.ts'
import { convert } from './convert.ts'
import { seedFrom } from '../../../../test/support/seed.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { toHtml } from 'hast-util-to-html'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'

const SCHEMES = [
  'javascript:',
  'JaVaScRiPt:',
  'java\tscript:',
  'java&#10;script:',
  '&#106;avascript:',
  '&#x6A;avascript&colon;',
  ' \u0001javascript:',
  'jav&Tab;ascript:',
  'javascript\\:',
  '\\javascript:',
  '<javascript:',
  'vbscript:',
  'data:text/html,',
  'data:text/html;base64,',
]
const TAGS =
  'script SCRIPT img svg iframe b a style math object noscript template xmp plaintext title textarea form button video base link table td li p pre code'.split(
    ' ',
  )
const ADDRESSES = ['href', 'src', 'formaction', 'action', 'data', 'poster', 'cite', 'background', 'data-src', 'srcset']

const asText = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
const asValue = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;')

/** Draws pages that try to have `run()` run in what is made of them: as markup, and as words that become markup later. */
class HostilePage {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  #pick<T>(items: readonly T[]): T {
    return this.#random.pick(items)
  }

  /** Markup of HTML or Markdown that runs a script where it is taken for what it looks like. */
  #attempt(): string {
    const address = `${this.#pick(SCHEMES)}run()`
    return this.#pick([
      '<script>run()</script>',
      '<img src=x onerror=run()>',
      '<svg onload=run()>',
      `<a href="${address}">x</a>`,
      '<iframe srcdoc="<script>run()</script>">',
      `[x](${address})`,
      `![x](${address})`,
      `<${address}>`,
      `[x]: ${address}`,
      '`<img src=x onerror=run()>`',
      '</textarea><script>run()</script>',
      '--><script>run()</script>',
      ']]><script>run()</script>',
      '<scr<script>ipt>run()</scr</script>ipt>',
      '"><img src=x onerror=run()>',
      '```\n<script>run()</script>\n```',
      '\\<img src=x onerror=run()>',
      'https://x/<script>run()</script>',
      'www.x.org/)]]><img src=x onerror=run()>',
    ])
  }

  /** In references to characters, some twice. */
  #encoded(text: string): string {
    const letter = (character: string): string =>
      this.#random.below(3) === 0 ? `&#${character.charCodeAt(0)};` : asText(character)
    const once = text.replace(/[^]/g, letter)
    return this.#random.below(4) === 0 ? once.replace(/&/g, '&amp;') : once
  }

  #address(): string {
    const address = this.#pick([
      `${this.#pick(SCHEMES)}run()`,
      `https://x/)${this.#attempt()}`,
      this.#attempt(),
      'x.png',
    ])
    return asValue(this.#random.below(2) === 0 ? address : `${address} "${this.#attempt()}`)
  }

  node(depth = 0): string {
    const words = (): string => this.#encoded(this.#attempt())
    const inner = (): string => (depth < 4 ? this.node(depth + 1) : words())
    const name = this.#pick(ADDRESSES)
    const kinds: readonly (() => string)[] = [
      () => this.#attempt(),
      () => `<p>${words()}</p>`,
      () => `<img alt="${asValue(this.#attempt())}" title="${asValue(this.#attempt())}" src="${this.#address()}">`,
      () => `<a href="${this.#address()}" title="${asValue(this.#attempt())}">${words()}</a>`,
      () => `<pre><code class="language-${asValue(this.#attempt())}">${words()}\n${words()}</code></pre>`,
      () => `<pre>${words()}${inner()}</pre>`,
      () => `<table><caption>${words()}</caption><tr><td>${inner()}<td rowspan=2>${words()}</table>`,
      () => `<ul><li>${words()}<li>${inner()}</ul>`,
      () => `<h2 id="${asValue(this.#attempt())}">${words()}</h2>`,
      () => `<${this.#pick(TAGS)} on${this.#pick(['click', 'Load', 'ERROR'])}=run()>${inner()}`,
      () => `<${this.#pick(TAGS)} ${name}="${this.#address()}">${inner()}`,
      () => `<noscript><p title="</noscript>${this.#attempt().replace(/"/g, '')}">${words()}</p></noscript>`,
      () =>
        '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=run()&gt;"></table></math>',
      () => `<svg><style><img src=x onerror=run()></style><desc>${inner()}</desc></svg>`,
      () => `<base href="${this.#address()}"><meta http-equiv=refresh content="0;url=${this.#address()}">`,
      () => `<!--${this.#attempt()}--><![CDATA[${this.#attempt()}]]>`,
      () => `<blockquote cite="${this.#address()}">${words()} https://x/<b>${words()}</b>${inner()}</blockquote>`,
    ]
    return this.#pick(kinds)()
  }

  page(): string {
    const parts = Array.from({ length: 1 + this.#random.below(6) }, () => this.node())
    return `<html><head><title>${asText(this.#attempt())}</title></head><body><p>the start</p>${parts.join('<p>between</p>')}</body></html>`
  }
}

function hostilePage(random: Random): string {
  return new HostilePage(random).page()
}

const WITH_ADDRESS = /^(?:href|src|action|formaction|data|poster|cite|background|xlink:href|srcset|content)$/

/** What a viewer shows that believes all HTML in Markdown. */
function shownBy(markdown: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return toHtml(toHast(tree, { allowDangerousHtml: true }), { allowDangerousHtml: true })
}

/** The first thing in HTML that runs a script when a browser shows it or it is clicked; null where nothing does. */
function scriptIn(html: string): string | null {
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('attrs' in node) {
      const names = node.attrs.filter(({ name, value }) => runs(name, value)).map(({ name }) => name)
      if (node.tagName === 'script' || names.length > 0) return `${node.tagName} ${names.join(' ')}`
    }
    if ('childNodes' in node) open.push(...node.childNodes)
    if ('content' in node) open.push(node.content)
  }
  return null
}

function runs(name: string, value: string): boolean {
  if (/^on|^srcdoc$/.test(name)) return true
  if (!WITH_ADDRESS.test(name)) return false
  const url = URL.parse(value.replace(/^.*;\s*url=/i, ''), 'https://page/')
  return url !== null && (/^(?:javascript|vbscript):/.test(url.protocol) || /^data:text\/html/i.test(url.href))
}

const seed = seedFrom('SCRIPT_SEED', 'fresh')

/** `SCRIPT_DRAWS=1000` for a long run. */
const draws = Number(process.env['SCRIPT_DRAWS'] ?? 30)

describe('scripts of a page', () => {
  test(
    'never reach its Markdown, HTML or links, whatever holds them, as a tree or as a stream',
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

  test('never reach HTML made from Markdown', () => {
    const html = markdownToHtml(
      'a <b onclick="run()">b</b> [c](javascript:run())\n\n<script>run()</script>\n\n<img src=x onerror=run()>\n',
    )
    expect(html).toContain('<b>b</b>')
    expect(html).not.toContain('run()')
  })

  test('do not include data images, or addresses that merely resemble scripts', () => {
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
