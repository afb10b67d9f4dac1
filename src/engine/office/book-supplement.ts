import { posix } from 'node:path'
import { mathmlToLatex } from './mathml-to-latex.ts'
import { type OoxmlPackage, xmlText } from './ooxml/ooxml-package.ts'
import { type Insertion, Placeholders } from './ooxml/placeholders.ts'
import { rewriteXml } from './ooxml/rewrite-xml.ts'
import type { Supplement } from './ooxml/supplement.ts'
import { descendants, type XmlElement } from './ooxml/xml-tree.ts'
import { replaceZipEntries } from './zip-replace.ts'

const MATH: ReadonlySet<string> = new Set(['math', 'm:math', 'mml:math'])
const NAVIGATION: ReadonlySet<string> = new Set(['nav'])

/**
 * Formulas of an e-book as LaTeX, and its main content without the table of contents that reading systems show beside it
 * (EPUB 3.3, 5.6.1 and 7).
 */
export function bookSupplement(book: OoxmlPackage, onlyMainContent: boolean): Supplement {
  const placeholders = new Placeholders()
  const replaced = new Map<string, Buffer>()
  const navigation = onlyMainContent ? navigationOf(book) : null
  for (const part of book.parts(/\.(?:x?html?|xml)$/i)) {
    const bytes = book.bytesOf(part)
    const isNavigation = part === navigation
    if (bytes === null || !(isNavigation || bytes.includes('math>'))) continue
    const xml = rewriteXml(Placeholders.clean(xmlText(bytes)), isNavigation ? NAVIGATION : MATH, (element) =>
      isNavigation ? () => '' : formulaToken(element, placeholders),
    )
    if (xml !== null) replaced.set(part, Buffer.from(xml))
  }
  const bytes = replaced.size === 0 ? book.bytes : replaceZipEntries(book.bytes, replaced)
  return {
    bytes: bytes ?? book.bytes,
    placeholders: bytes === null ? new Placeholders() : placeholders,
    after: [],
    headers: [],
    footers: [],
    leftOut: [],
  }
}

function navigationOf(book: OoxmlPackage): string | null {
  const [list = ''] = book.parts(/\.opf$/i)
  const items = [...descendants(book.xml(list) ?? { name: '', attributes: {}, children: [] }, 'item', 'opf:item')]
  const item = items.find(({ attributes }) => attributes['properties']?.split(/\s+/).includes('nav'))
  const path = item?.attributes['href']
  return path === undefined ? null : posix.join(posix.dirname(list), decodedPath(path))
}

/** As it is where its writer did not encode it. */
function decodedPath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function formulaToken(math: XmlElement, placeholders: Placeholders): (() => string) | null {
  const latex = mathmlToLatex(math).replace(/\s+/g, ' ')
  if (latex === '') return null
  const inline = `$${latex}$`
  const insertion: Insertion = { block: math.attributes['display'] === 'block' ? `$${inline}$` : null, inline }
  return () => placeholders.add(insertion)
}
