import { Parser } from 'htmlparser2'
import { canonicalAttributes, TreeBuilder, type XmlElement } from './xml-tree.ts'
import { XmlNames } from './xml-names.ts'

/** What takes the place of an element, asked for once it is certain that it does; null leaves the element as it is. */
export type Rewrite = (element: XmlElement, names: XmlNames, ancestors: readonly string[]) => (() => string) | null

interface Edit {
  readonly start: number
  /** After the last character. */
  readonly end: number
  readonly text: () => string
}

const NOTHING = (): string => ''

/** Alternatives of newer elements for older readers: what stands in them is a copy. */
const FALLBACK = 'mc:Fallback'
const ALTERNATIVES = 'mc:AlternateContent'

/** Elements around the rows of a table, as content controls are: a reader of rows skips them. */
const WRAPPERS: ReadonlySet<string> = new Set(['w:sdt', 'w:sdtContent', 'w:customXml'])

/** A wanted element while its end is not reached. */
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
 * A part with some of its elements replaced; all else stays byte for byte. Where something was replaced in the first
 * choice of alternatives, that choice stands alone, so that every reader takes it. Rows of a Word table lose the content
 * controls around them. Returns null where nothing changed.
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
  /** Where the open content controls around rows begin, in place of what is not part of the rows. */
  readonly #wrappers: { readonly depth: number; start: number }[] = []
  /** Wanted elements may hold others, such as a shape its formulas. */
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

  /** What stands between a table and its rows is edited out: the start up to the content, and the end after it. */
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
    // What was replaced within it goes with it.
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
