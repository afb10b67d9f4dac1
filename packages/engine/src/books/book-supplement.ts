import { bookFiles } from './book-chapters.ts'
import { mathmlToLatex } from '../ooxml/mathml-to-latex.ts'
import { type OoxmlPackage, xmlText } from '../ooxml/ooxml-package.ts'
import { type Insertion, Placeholders } from '../ooxml/placeholders.ts'
import { rewriteXml } from '../ooxml/rewrite-xml.ts'
import type { Supplement } from '../ooxml/supplement.ts'
import type { XmlElement } from '../ooxml/xml-tree.ts'
import { withLeafParagraphs } from './leaf-blocks.ts'
import { counted } from '../markup/left-out.ts'
import { wellFormed } from './well-formed.ts'
import { replaceZipEntries } from '../container/zip-replace.ts'

const MATH: ReadonlySet<string> = new Set(['math', 'm:math', 'mml:math'])
const NAVIGATION: ReadonlySet<string> = new Set(['nav'])
const DECLARATION = /^\uFEFF?\s*<\?xml[^>]*>/
const ENCODING = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w-]+)["']/

/**
 * Prepares an e-book: formulas as LaTeX, chapters as well-formed XML, each line in a paragraph. The main content omits
 * the table of contents that reading systems show (EPUB 3.3, 5.6.1 and 7).
 */
export function bookSupplement(book: OoxmlPackage, onlyMainContent: boolean): Supplement {
  const placeholders = new Placeholders()
  const replaced = new Map<string, Buffer>()
  const files = bookFiles(book)
  const navigation = onlyMainContent ? files.navigation : null
  const chapters = new Set(files.chapters)
  for (const part of new Set([...book.parts(/\.(?:x?html?|xml)$/i), ...chapters])) {
    const bytes = book.bytesOf(part)
    if (bytes === null) continue
    const text = textOfPart(bytes)
    const mended = chapters.has(part) && isPage(text) ? repairedText(bytes, text) : null
    const isNavigation = part === navigation
    const xml =
      isNavigation || bytes.includes('math>')
        ? rewriteXml(Placeholders.clean(mended ?? text), isNavigation ? NAVIGATION : MATH, (element) =>
            isNavigation ? () => '' : formulaToken(element, placeholders),
          )
        : null
    const written = xml ?? mended
    if (written !== null) replaced.set(part, Buffer.from(written.replace(DECLARATION, '')))
  }
  const list = files.repeats === 0 ? null : files.list()
  if (list !== null && list.text !== null) replaced.set(list.part, Buffer.from(list.text.replace(DECLARATION, '')))
  const bytes = replaced.size === 0 ? book.bytes : replaceZipEntries(book.bytes, replaced)
  return {
    bytes: bytes ?? book.bytes,
    placeholders: bytes === null ? new Placeholders() : placeholders,
    after: [],
    headers: [],
    footers: [],
    leftOut: bytes === null ? [] : counted(files.repeats, 'repetition').map((some) => `${some} of chapters`),
  }
}

/** True for HTML, under any file name. Chapters may be drawings too. */
const isPage = (text: string): boolean => /<(?:html|body|p|div|h1)[\s>]/i.test(text)

/**
 * Returns a chapter that the library's parser reads correctly, with its lines as paragraphs. Null if it needs no
 * change. The library reads each UTF-16 letter as two.
 */
function repairedText(bytes: Buffer, text: string): string | null {
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe
  const mended = wellFormed(text) ?? (isWide ? text : null)
  return withLeafParagraphs(mended ?? text) ?? mended
}

function textOfPart(bytes: Buffer): string {
  const declared = ENCODING.exec(bytes.toString('latin1', 0, 200))?.[1]
  if (declared === undefined || /^utf/i.test(declared)) return xmlText(bytes)
  try {
    return new TextDecoder(declared).decode(bytes)
  } catch {
    return xmlText(bytes)
  }
}

function formulaToken(math: XmlElement, placeholders: Placeholders): (() => string) | null {
  const latex = mathmlToLatex(math).replace(/\s+/g, ' ')
  if (latex === '') return null
  const inline = `$${latex}$`
  const insertion: Insertion = { block: math.attributes['display'] === 'block' ? `$${inline}$` : null, inline }
  return () => placeholders.add(insertion)
}
