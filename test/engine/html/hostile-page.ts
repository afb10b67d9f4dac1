import type { Random } from '../../support/random.ts'

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

export function hostilePage(random: Random): string {
  return new HostilePage(random).page()
}
