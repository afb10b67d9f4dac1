import { Parser } from 'htmlparser2'

/** Tokens: comments, CDATA, instructions and document types, tags with quoted attributes, text. */
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?[^>]*>|<(\/?)([A-Za-z_][\w:.-]*)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|[^<]+/y
const BARE_AMPERSAND = /&(?!#?\w+;)/
/** Elements whose content a page does not show. */
const UNSEEN: ReadonlySet<string> = new Set(['title', 'style', 'script'])
const FRAME: ReadonlySet<string> = new Set(['html', 'head', 'body'])
const NAME = /^[A-Za-z_][\w:.-]*$/
// oxlint-disable-next-line no-control-regex -- XML allows no control characters
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g

/**
 * Rewrites a chapter of an e-book as well-formed XML, or returns null if it already is. The office library drops a
 * chapter, or the rest of it, at a parse error. Such an error is a bare `&` or `<`, an element without an end, or an
 * end without a start.
 */
export function wellFormed(chapter: string): string | null {
  return isWellFormed(chapter) ? null : rewritten(chapter)
}

function isWellFormed(text: string): boolean {
  const open: string[] = []
  let [roots, hasBody] = [0, false]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)
    if (token === null) return false
    const [whole, end, name, empty] = token
    if (!whole.startsWith('<![') && !whole.startsWith('<!--') && BARE_AMPERSAND.test(whole)) return false
    if (name === undefined) continue
    if (end === '/') {
      if (open.pop() !== name) return false
      continue
    }
    if (open.length === 0) roots += 1
    if (name === 'body' || name.endsWith(':body')) hasBody = true
    if (empty === '') open.push(name)
  }
  return open.length === 0 && roots === 1 && hasBody
}

/** Serializes the visible content of the chapter with nested elements. */
function rewritten(chapter: string): string {
  const parts: string[] = []
  let unseen = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (UNSEEN.has(name)) unseen += 1
        else if (unseen === 0 && isShown(name)) parts.push(`<${name}${written(attributes)}>`)
      },
      ontext(text) {
        if (unseen === 0) parts.push(escaped(text))
      },
      onclosetag(name) {
        if (UNSEEN.has(name)) unseen -= 1
        else if (unseen === 0 && isShown(name)) parts.push(`</${name}>`)
      },
    },
    { decodeEntities: true, recognizeSelfClosing: true, recognizeCDATA: true, lowerCaseAttributeNames: false },
  )
  parser.end(chapter)
  return `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head></head><body>${parts.join('')}</body></html>`
}

const isShown = (name: string): boolean => !FRAME.has(name) && NAME.test(name)

const written = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .filter(([name]) => NAME.test(name))
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`)
    .join('')

const escaped = (text: string): string =>
  text.replace(NOT_XML, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
