import type { Conversion } from '../conversion.ts'
import { readZipEntry } from '../container/zip-directory.ts'

const MAX_XML_BYTES = 1024 ** 2

/** Part with the properties of each container: OOXML, OpenDocument. An EPUB names its part in `CONTAINER`. */
const PROPERTY_PARTS = ['docProps/core.xml', 'meta.xml'] as const
const CONTAINER = 'META-INF/container.xml'

/** Local names of the elements, without their prefix, and their names in the contract's metadata table. */
const PROPERTIES: readonly (readonly [element: string, name: string])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['keywords?', 'keywords'],
  ['language', 'language'],
  ['creator', 'author'],
]

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function firstElement(xml: string, element: string): string | null {
  const match = new RegExp(`<(?:[\\w-]+:)?${element}(?:\\s[^>]*)?>([^<]*)<`).exec(xml)
  const text = unescapeXml(match?.[1] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? null : text
}

function propertyXml(zip: Buffer): string | null {
  for (const part of PROPERTY_PARTS) {
    const xml = readZipEntry(zip, part, MAX_XML_BYTES)
    if (xml !== null) return xml.toString('utf8')
  }
  const container = readZipEntry(zip, CONTAINER, MAX_XML_BYTES)?.toString('utf8') ?? ''
  const packagePath = /full-path\s*=\s*["']([^"']+)["']/.exec(container)?.[1]
  return packagePath === undefined ? null : (readZipEntry(zip, packagePath, MAX_XML_BYTES)?.toString('utf8') ?? null)
}

/** Returns title, description, keywords, language and author of a document in a ZIP container. Empty for any other. */
export function packageMetadata(bytes: Buffer): Conversion['metadata'] {
  const xml = bytes.subarray(0, 2).toString('latin1') === 'PK' ? propertyXml(bytes) : null
  if (xml === null) return {}
  const found = PROPERTIES.map(([element, name]) => [name, firstElement(xml, element)] as const)
  return Object.fromEntries(found.filter(([, text]) => text !== null))
}
