import { literalAddress, runsScript } from '../markup/scripts-in-addresses.ts'
import { withTagsBehindAddresses } from '../markup/tags-behind-addresses.ts'
import { OffHeapText } from '../off-heap-text.ts'
import { fenced } from '../markup/fenced.ts'
import { escapeLineStart } from '../markup/escape-markdown.ts'

/** Elements without text content. */
const SILENT = new Set(['script', 'style', 'template', 'head', 'svg', 'iframe', 'object', 'select', 'textarea'])
/** Elements around the main content, by their meaning in the HTML standard. */
const FURNITURE = new Set(['nav', 'aside', 'footer'])
const BLOCKS = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr html li main nav ol p pre section summary table ul'.split(
    ' ',
  ),
)
const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  del: '~~',
  s: '~~',
  code: '`',
}
const SPECIAL = /[\\`*[\]<|]|&(?=#?\w+;)/g
const NEEDS_CARE = /[\s\u00a0\\`*[\]<|&]/

interface Link {
  readonly at: number
  readonly url: string
}

export interface LargePage {
  readonly markdown: string
  readonly links: readonly string[]
  readonly images: readonly string[]
  readonly title: string
}

/** Writes Markdown from the parser's event stream. Buffers one block, one row and the number of open elements. */
export class LargePageWriter {
  readonly #out = new OffHeapText()
  readonly #links = new Set<string>()
  readonly #images = new Set<string>()
  readonly #base: string | null
  readonly #onlyMainContent: boolean
  readonly #lists: { readonly isOrdered: boolean; count: number }[] = []
  readonly #openLinks: Link[] = []
  #depth = 0
  #silent = 0
  #tables = 0
  #rows = 0
  #row: string[] | null = null
  #prefix = ''
  #block = ''
  #title = ''
  #inTitle = false
  #inPre = false

  constructor(base: string | null, onlyMainContent: boolean) {
    this.#base = base
    this.#onlyMainContent = onlyMainContent
  }

  get depth(): number {
    return this.#depth
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1
    if (name === 'title') this.#inTitle = this.#title === ''
    if (this.#isSilent(name)) this.#silent += 1
    if (this.#silent > 0) return
    const heading = /^h([1-6])$/.exec(name)
    if (BLOCKS.has(name) || heading !== null) this.#flush()
    if (heading !== null) this.#prefix = `${'#'.repeat(Number(heading[1]))} `
    else if (name === 'ul' || name === 'ol') this.#lists.push({ isOrdered: name === 'ol', count: 0 })
    else if (name === 'li') this.#prefix = this.#marker()
    else if (name === 'table') this.#openTable()
    else if (name === 'tr' && this.#tables === 1) this.#row = []
    else if (name === 'pre') this.#inPre = true
    else if (name === 'br') this.#block += this.#row === null ? '\\\n' : '<br>'
    else if (name === 'img') this.#image(attributes)
    else if (name === 'a') this.#openLinks.push({ at: this.#block.length, url: this.#resolve(attributes['href']) })
    else if (!this.#inPre) this.#block += MARKS[name] ?? ''
  }

  text(text: string): void {
    if (this.#inTitle) this.#title += text
    if (this.#silent > 0) return
    // Fast path: most texts in a table of values need no escape.
    if (this.#isRaw || !NEEDS_CARE.test(text)) this.#block += text
    else this.#block += literalText(text, /\S/.test(this.#block.at(-1) ?? ''))
  }

  close(name: string): void {
    this.#depth -= 1
    if (name === 'title') this.#inTitle = false
    if (this.#silent > 0) {
      if (this.#isSilent(name)) this.#silent -= 1
      return
    }
    if (name === 'td' || name === 'th') this.#closeCell()
    else if (name === 'tr' && this.#tables === 1) this.#closeRow()
    else if (name === 'a') this.#closeLink()
    else if (BLOCKS.has(name) || /^h[1-6]$/.test(name)) this.#closeBlock(name)
    else if (!this.#inPre) this.#block += MARKS[name] ?? ''
  }

  finish(): LargePage {
    this.#flush()
    const title = this.#title.replace(/\s+/g, ' ').trim()
    return { markdown: this.#out.take().trim(), links: [...this.#links], images: [...this.#images], title }
  }

  /** True in a code block, whose text remains verbatim. Within a table it is part of a cell. */
  get #isRaw(): boolean {
    return this.#inPre && this.#tables === 0
  }

  #isSilent(name: string): boolean {
    return SILENT.has(name) || (this.#onlyMainContent && FURNITURE.has(name))
  }

  #marker(): string {
    const list = this.#lists.at(-1)
    const indent = '  '.repeat(Math.max(0, this.#lists.length - 1))
    if (list === undefined || !list.isOrdered) return `${indent}- `
    list.count += 1
    return `${indent}${list.count}. `
  }

  #openTable(): void {
    this.#tables += 1
    if (this.#tables === 1) this.#rows = 0
  }

  /** Within a table, blocks are parts of a cell. */
  #flush(): void {
    if (this.#row !== null) {
      if (this.#block !== '' && !this.#block.endsWith(' ')) this.#block += ' '
      return
    }
    const text = this.#isRaw ? this.#block : withoutEmptyMarks(this.#block).trim()
    if (text !== '')
      this.#out.add(
        this.#isRaw ? `\n${fenced(text)}\n` : `${this.#separator()}${this.#prefix}${escapeLineStart(text)}\n`,
      )
    this.#block = ''
    if (text !== '') this.#prefix = ''
    this.#openLinks.length = 0
  }

  /** List items follow each other without a blank line. */
  #separator(): string {
    return /^\s*(?:-|\d+\.) $/.test(this.#prefix) ? '' : '\n'
  }

  #closeBlock(name: string): void {
    this.#flush()
    if (name === 'pre') this.#inPre = false
    if (name === 'ul' || name === 'ol') this.#lists.pop()
    if (name === 'table') this.#tables -= 1
    if (/^h[1-6]$/.test(name) || name === 'li') this.#prefix = ''
    if (name === 'ul' || name === 'ol' || name === 'table')
      this.#out.add(this.#row === null && this.#lists.length === 0 ? '\n' : '')
  }

  #closeCell(): void {
    if (this.#tables !== 1 || this.#row === null) {
      this.#block += ' '
      return
    }
    this.#row.push(withoutEmptyMarks(this.#block).trim())
    this.#block = ''
    this.#openLinks.length = 0
  }

  #closeRow(): void {
    const row = this.#row ?? []
    this.#row = null
    this.#block = ''
    if (row.every((cell) => cell === '')) return
    if (this.#rows === 0) this.#out.add('\n')
    this.#out.add(`| ${row.join(' | ')} |\n`)
    if (this.#rows === 0) this.#out.add(`|${' --- |'.repeat(row.length)}\n`)
    this.#rows += 1
  }

  #image(attributes: Readonly<Record<string, string>>): void {
    const url = this.#resolve(attributes['src'])
    const alt = literalText(attributes['alt'] ?? '', true)
    if (url === '' || url.startsWith('data:')) this.#block += alt
    else {
      this.#images.add(url)
      this.#block += `![${alt}](${literalAddress(url)})`
    }
  }

  #closeLink(): void {
    const link = this.#openLinks.pop()
    if (link === undefined || link.url === '' || link.url.startsWith('#')) return
    this.#links.add(link.url)
    const text = this.#block.slice(link.at).trim()
    if (text !== '') this.#block = `${this.#block.slice(0, link.at)}[${text}](${literalAddress(link.url)})`
  }

  #resolve(url: string | undefined): string {
    if (url === undefined || runsScript(url)) return ''
    const resolved = this.#base === null || url.startsWith('#') ? url : (URL.parse(url, this.#base)?.href ?? url)
    return resolved
      .trim()
      .replace(/[\u0000-\u0020()<>"`]/g, (character) => PERCENT[character] ?? encodeURIComponent(character))
  }
}

const literalText = (text: string, follows: boolean): string =>
  withTagsBehindAddresses(text.replace(/[\s\u00a0]+/g, ' ').replace(SPECIAL, String.raw`\$&`), follows)

/** Characters that `encodeURIComponent` leaves unchanged. */
const PERCENT: Readonly<Record<string, string>> = { '(': '%28', ')': '%29' }

const withoutEmptyMarks = (text: string): string => text.replace(/\*\*\s*\*\*|~~\s*~~/g, '')
