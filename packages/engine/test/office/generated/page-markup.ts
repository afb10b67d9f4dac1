import type { Draw } from './draw.ts'

/** Elements of HTML and of books, nested as authors nest them. */
export class Markup {
  readonly #draw: Draw
  /** Only what is well-formed XML. */
  readonly #isStrict: boolean

  constructor(draw: Draw, isStrict: boolean) {
    this.#draw = draw
    this.#isStrict = isStrict
  }

  inline(): string {
    const draw = this.#draw
    const name = draw.pick('b', 'i', 'span', 'code', 'sub', 'sup', 'abbr', 'mark', 'small', 'q', 'cite', 'kbd', 'ins')
    const choices: readonly (() => string)[] = [
      () => draw.phrase('text'),
      () => draw.phrase('text'),
      () => `<${name}>${draw.phrase(`<${name}>`, 1, 3)}</${name}>`,
      () => `<a href="x.html">${draw.phrase('link', 1, 3)}</a>`,
      () => `${draw.word('text')}<br/>${draw.word('text')}`,
      () => `<ruby>${draw.word('ruby')}<rt>${draw.word('ruby')}</rt></ruby>`,
      () =>
        `<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>${draw.word('formula')}</mi><mn>2</mn></mfrac></math>`,
      () => `<img src="x.png" alt="${draw.phrase('alternative text', 1, 3)}"/>`,
      () => `${draw.word('text')}<script>var unseen = 1</script><style>p { color: red }</style>`,
    ]
    return draw.pick(...choices)()
  }

  block(depth = 0): string {
    const draw = this.#draw
    const content = (): string => draw.several(1, 3, () => this.inline(), ' ')
    const within = (): string => (depth > 2 || draw.chance(0.6) ? content() : this.block(depth + 1))
    const wrap = draw.pick('div', 'section', 'article', 'blockquote', 'figure', 'aside')
    const choices: readonly (() => string)[] = [
      () => `<p>${content()}</p>`,
      () => `<p>${content()}</p>`,
      () => `<h${2 + draw.below(3)}>${draw.phrase('heading', 1, 5)}</h2>`.replace(/<h(\d)>(.*)<\/h2>/, '<h$1>$2</h$1>'),
      () => `<${wrap}>${this.block(depth + 1)}</${wrap}>`,
      () => this.#list(depth, within),
      () => (depth > 1 ? `<p>${content()}</p>` : this.#table(within)),
      () => `<dl>${draw.several(1, 3, () => `<dt>${draw.word('term')}</dt><dd>${content()}</dd>`)}</dl>`,
      () => `<pre>${draw.phrase('listing')}\n  ${draw.phrase('listing')}</pre>`,
      () => `<figure><figcaption>${draw.phrase('caption', 1, 4)}</figcaption></figure>`,
      () =>
        this.#isStrict
          ? `<p>${content()}</p>`
          : `<details><summary>${draw.word('summary')}</summary>${content()}</details>`,
    ]
    return draw.pick(...choices)()
  }

  #list(depth: number, within: () => string): string {
    const tag = this.#draw.pick('ul', 'ol')
    const end = this.#isStrict || depth > 0 || this.#draw.chance(0.7) ? '</li>' : ''
    return `<${tag}>${this.#draw.several(1, 3, () => `<li>${within()}${end}`)}</${tag}>`
  }

  #table(within: () => string): string {
    const draw = this.#draw
    const columns = 2 + draw.below(2)
    const caption = draw.chance(0.3) ? `<caption>${draw.phrase('caption', 1, 3)}</caption>` : ''
    const row = (): string =>
      draw.chance(0.2)
        ? `<tr><td colspan="${columns}">${draw.phrase('merged cell', 1, 3)}</td></tr>`
        : `<tr>${Array.from({ length: columns }, () => `<td>${draw.chance(0.2) ? within() : draw.phrase('table', 1, 3)}</td>`).join('')}</tr>`
    const head = `<tr>${Array.from({ length: columns }, () => `<th>${draw.word('table')}</th>`).join('')}</tr>`
    return `<table>${caption}${head}${draw.several(1, 3, row)}</table>`
  }
}
