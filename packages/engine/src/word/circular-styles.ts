import { OoxmlPackage, xmlText } from '../ooxml/ooxml-package.ts'
import { replaceZipEntries } from '../container/zip-replace.ts'

/** Parts with the parents of styles, in Word documents and in OpenDocument files. */
const STYLE_PARTS = /^(?:word\/[^/]*|styles|content)\.xml$/
/** `[^<>]` keeps the search linear, because an unclosed tag costs at most the next one. */
const WORD_STYLE = /<(?:\w+:)?(style|basedOn|numStyleLink)\s([^<>]*)>/g
const OPEN_STYLE = /<style:style\s([^<>]*)>/g

/** Reference of a style to its parent. */
interface Link {
  readonly part: string
  readonly style: string
  readonly parent: string
  /** Its range within the part: an element in Word, an attribute in OpenDocument. */
  readonly start: number
  readonly text: string
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1]

/**
 * Removes the references that close a cycle of styles. The library's parser rejects such a file, an office program
 * opens it. Null without a cycle.
 */
export function withoutCircularStyles(bytes: Buffer): Buffer | null {
  const file = new OoxmlPackage(bytes)
  const parts = new Map(
    file.parts(STYLE_PARTS).flatMap((part) => {
      const content = file.bytesOf(part)
      return content === null ? [] : [[part, xmlText(content)] as const]
    }),
  )
  const links = [...parts].flatMap(([part, xml]) => [...wordLinks(part, xml), ...openLinks(part, xml)])
  const closing = closingLinks(links)
  if (closing.length === 0) return null
  const replaced = new Map<string, Buffer>()
  for (const [part, found] of Map.groupBy(closing, (link) => link.part)) {
    replaced.set(part, Buffer.from(without(parts.get(part) ?? '', found)))
  }
  return replaceZipEntries(bytes, replaced)
}

function wordLinks(part: string, xml: string): Link[] {
  let style = ''
  return [...xml.matchAll(WORD_STYLE)].flatMap(({ 0: text, 1: name, 2: attributes = '', index: start }) => {
    if (name === 'style') style = attribute(attributes, 'styleId') ?? ''
    const parent = attribute(attributes, 'val')
    // A list that a list style defines counts as a separate cycle, because the list may define that style.
    if (name === 'numStyleLink') style = parent ?? ''
    const isWhole = name !== 'style' && parent !== undefined && text.endsWith('/>')
    return isWhole ? [{ part, style, parent, start, text }] : []
  })
}

function openLinks(part: string, xml: string): Link[] {
  return [...xml.matchAll(OPEN_STYLE)].flatMap(({ 0: tag, 1: attributes = '', index }) => {
    const [name, family] = [attribute(attributes, 'name'), attribute(attributes, 'family') ?? '']
    const [text] = /\sstyle:parent-style-name\s*=\s*["'][^"']*["']/.exec(tag) ?? []
    const parent = attribute(attributes, 'parent-style-name')
    if (text === undefined || parent === undefined) return []
    const style = `${family} ${name ?? ''}`
    return [{ part, style, parent: `${family} ${parent}`, start: index + tag.indexOf(text), text }]
  })
}

/** Returns the reference of each cycle that leads back to an earlier style, in file order. */
function closingLinks(links: readonly Link[]): Link[] {
  const linkOf = new Map(links.map((link) => [link.style, link]))
  const closing: Link[] = []
  const ended = new Set<string>()
  for (const { style: first } of links) {
    const seen = new Set<string>()
    for (let link = linkOf.get(first); link !== undefined && !ended.has(link.style); link = linkOf.get(link.parent)) {
      seen.add(link.style)
      if (!seen.has(link.parent)) continue
      closing.push(link)
      break
    }
    for (const style of seen) ended.add(style)
  }
  return closing
}

function without(xml: string, links: readonly Link[]): string {
  let text = ''
  let at = 0
  for (const link of links.toSorted((a, b) => a.start - b.start)) {
    text += xml.slice(at, link.start)
    at = link.start + link.text.length
  }
  return text + xml.slice(at)
}
