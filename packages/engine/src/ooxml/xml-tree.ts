import { Parser } from 'htmlparser2'
import { XmlNames } from './xml-names.ts'

/** An element whose names are canonical (`XmlNames`), attributes and descendants included. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (XmlElement | string)[]
}

/**
 * Maximum depth. The builder drops deeper elements, because every consumer of a tree recurses. Real parts nest less
 * than 100.
 */
const MAX_DEPTH = 400

/** Builds trees from a parser's events. */
export class TreeBuilder {
  readonly root: XmlElement = { name: '', attributes: {}, children: [] }
  readonly #open: XmlElement[] = [this.root]
  #skipped = 0

  start(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#skipped > 0 || this.#open.length > MAX_DEPTH) {
      this.#skipped += 1
      return
    }
    const element: XmlElement = { name, attributes, children: [] }
    this.#open.at(-1)?.children.push(element)
    this.#open.push(element)
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#open.at(-1)?.children.push(text)
  }

  end(): void {
    if (this.#skipped > 0) this.#skipped -= 1
    else if (this.#open.length > 1) this.#open.pop()
  }
}

/**
 * Parses the document's elements below a nameless root. Does not expand DTD entities. The parser continues after
 * damage.
 */
export function parseXml(xml: string): XmlElement {
  const names = new XmlNames()
  const builder = new TreeBuilder()
  const parser = new Parser(
    {
      onattribute: (name, value) => names.declare(name, value),
      onopentag: (name, attributes) => builder.start(names.canonical(name), canonicalAttributes(attributes, names)),
      ontext: (text) => builder.text(text),
      onclosetag: () => builder.end(),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return builder.root
}

export function canonicalAttributes(
  attributes: Readonly<Record<string, string>>,
  names: XmlNames,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.includes(':') ? names.canonical(name) : name, value]),
  )
}

const isElement = (node: XmlElement | string): node is XmlElement => typeof node !== 'string'

export function childrenOf(element: XmlElement, name?: string): XmlElement[] {
  return element.children
    .filter((child) => isElement(child))
    .filter((child) => name === undefined || child.name === name)
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : childrenOf(element, name)[0]
}

/** Yields all descendants of a name in document order, except those nested in a match. */
export function* descendants(element: XmlElement, ...names: readonly string[]): Generator<XmlElement> {
  for (const child of childrenOf(element)) {
    if (names.includes(child.name)) yield child
    else yield* descendants(child, ...names)
  }
}

export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return ''
  return element.children.map((child) => (isElement(child) ? textOf(child) : child)).join('')
}

/** Returns an attribute with or without its element's prefix: `m:val`, `val`. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  if (element === undefined) return undefined
  const prefix = element.name.split(':', 1)[0] ?? ''
  return element.attributes[name] ?? element.attributes[`${prefix}:${name}`]
}
