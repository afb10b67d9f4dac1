import { Parser } from 'htmlparser2'
import { canonicalAttributes, TreeBuilder, type XmlElement } from './xml-tree.ts'
import { XmlNames } from './xml-names.ts'

/**
 * Decides the replacement of an element. The returned function runs once the replacement is certain. Null keeps the
 * element.
 */
export type Rewrite = (element: XmlElement, names: XmlNames, ancestors: readonly string[]) => (() => string) | null

interface Edit {
  readonly start: number
  /** Exclusive end offset. */
  readonly end: number
  readonly text: () => string
}

const NOTHING = (): string => ''

/** Alternatives of newer elements for older readers. The fallback is a copy of the content. */
const FALLBACK = 'mc:Fallback'
const ALTERNATIVES = 'mc:AlternateContent'

/** Wrapper elements around table rows, such as content controls. A reader of rows skips them. */
const WRAPPERS: ReadonlySet<string> = new Set(['w:sdt', 'w:sdtContent', 'w:customXml'])

/** A wanted element before its end tag. */
interface Collected {
  readonly builder: TreeBuilder
  readonly start: number
  readonly depth: number
}

interface Alternatives {
  readonly start: number
  choice: { readonly start: number; end: number } | null
  edits: number
}

/**
 * Replaces some elements of a part, and keeps all other bytes. A replacement inside the first choice of alternatives
 * removes the fallback, so that every reader takes that choice. Rows of a Word table lose their content controls.
 * Returns null without a change.
 */
export function rewriteXml(xml: string, wanted: ReadonlySet<string>, rewrite: Rewrite): string | null {
  const scan = new Scan(wanted, rewrite)
  const parser: Parser = new Parser(
    {
      onattribute: (name, value) => scan.names.declare(name, value),
      onopentag: (name, attributes) => scan.open(name, attributes, parser.startIndex, parser.endIndex + 1),
      ontext: (text) => scan.text(text),
      onclosetag: () => scan.close(parser.startIndex, parser.endIndex + 1),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return scan.edits.length === 0 ? null : applied(xml, scan.edits)
}

class Scan {
  readonly edits: Edit[] = []
  readonly #wanted: ReadonlySet<string>
  readonly #rewrite: Rewrite
  readonly names = new XmlNames()
  readonly #ancestors: string[] = []
  readonly #alternatives: Alternatives[] = []
  /** Start offsets of the open content controls around rows, for their removal. */
  readonly #wrappers: { readonly depth: number; start: number }[] = []
  /** Stack, because wanted elements may be nested, such as a formula in a shape. */
  readonly #collected: Collected[] = []
  #fallbacks = 0

  constructor(wanted: ReadonlySet<string>, rewrite: Rewrite) {
    this.#wanted = wanted
    this.#rewrite = rewrite
  }

  open(rawName: string, attributes: Record<string, string>, start: number, end: number): void {
    const name = this.names.canonical(rawName)
    if (name === FALLBACK) this.#fallbacks += 1
    if (name === ALTERNATIVES) this.#alternatives.push({ start, choice: null, edits: this.edits.length })
    const current = this.#alternatives.at(-1)
    if (name === 'mc:Choice' && current?.choice === null) current.choice = { start: end, end: -1 }
    if (WRAPPERS.has(name)) this.#openWrapper(name, start, end)
    if (this.#fallbacks === 0 && this.#wanted.has(name)) {
      this.#collected.push({ builder: new TreeBuilder(), start, depth: this.#ancestors.length })
    }
    if (this.#collected.length > 0) {
      const canonical = canonicalAttributes(attributes, this.names)
      for (const { builder } of this.#collected) builder.start(name, canonical)
    }
    this.#ancestors.push(name)
  }

  text(text: string): void {
    for (const { builder } of this.#collected) builder.text(text)
  }

  close(start: number, end: number): void {
    const name = this.#ancestors.pop()
    for (const { builder } of this.#collected) builder.end()
    if (this.#collected.at(-1)?.depth === this.#ancestors.length) this.#replace(end)
    if (name !== undefined && WRAPPERS.has(name)) this.#closeWrapper(name, start, end)
    if (name === FALLBACK) this.#fallbacks -= 1
    const current = this.#alternatives.at(-1)
    if (name === 'mc:Choice' && current?.choice?.end === -1) current.choice.end = start
    if (name === ALTERNATIVES) this.#closeAlternatives(end)
  }

  /** Removes the wrapper between a table and its rows: from its start tag to the content, and its end tag. */
  #openWrapper(name: string, start: number, end: number): void {
    if (this.#ancestors.findLast((ancestor) => !WRAPPERS.has(ancestor)) !== 'w:tbl') return
    if (name !== 'w:sdtContent') this.#wrappers.push({ depth: this.#ancestors.length, start })
    const wrapper = this.#wrappers.at(-1)
    if (name !== 'w:sdt' && wrapper !== undefined) this.edits.push({ start: wrapper.start, end, text: NOTHING })
  }

  #closeWrapper(name: string, start: number, end: number): void {
    const wrapper = this.#wrappers.at(-1)
    if (wrapper === undefined || wrapper.depth !== this.#ancestors.length - (name === 'w:sdtContent' ? 1 : 0)) return
    this.edits.push({ start, end, text: NOTHING })
    if (name !== 'w:sdtContent') this.#wrappers.pop()
  }

  #replace(end: number): void {
    const closed = this.#collected.pop()
    const element = closed?.builder.root.children[0]
    if (closed === undefined || element === undefined || typeof element === 'string') return
    const text = this.#rewrite(element, this.names, this.#ancestors)
    if (text === null) return
    // Drops edits inside the replaced element.
    while ((this.edits.at(-1)?.start ?? -1) > closed.start) this.edits.pop()
    this.edits.push({ start: closed.start, end, text })
  }

  #closeAlternatives(end: number): void {
    const closed = this.#alternatives.pop()
    if (closed === undefined || closed.choice === null || closed.edits === this.edits.length) return
    this.edits.push({ start: closed.start, end: closed.choice.start, text: NOTHING })
    this.edits.push({ start: closed.choice.end, end, text: NOTHING })
  }
}

function applied(xml: string, edits: readonly Edit[]): string {
  let text = ''
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at) continue
    text += xml.slice(at, edit.start) + edit.text()
    at = edit.end
  }
  return text + xml.slice(at)
}
