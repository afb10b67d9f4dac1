/** Fields of the contract's metadata table that a PDF's XMP packet can fill. */
export interface PdfMetadata {
  readonly title?: string
  readonly description?: string
  readonly keywords?: string
  readonly author?: string
  readonly language?: string
}

/** XMP property of each field (ISO 16684-1): Dublin Core, and `pdf:Keywords`. */
const PROPERTIES = {
  title: 'dc:title',
  description: 'dc:description',
  keywords: 'pdf:Keywords',
  author: 'dc:creator',
  language: 'dc:language',
} as const

/** Parses title, description, keywords, author and language. Empty for a PDF without XMP. */
export function pdfMetadata(xmp: string | null): PdfMetadata {
  if (xmp === null) return {}
  const entries = Object.entries(PROPERTIES).map(([name, property]) => [name, valueOf(xmp, property)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** A property is an element with list items or plain text, or an attribute of the description. */
function valueOf(xmp: string, property: string): string {
  const element = new RegExp(`<${property}(?:\\s[^>]*)?>([\\s\\S]*?)</${property}>`).exec(xmp)?.[1]
  if (element === undefined) return plain(new RegExp(`\\s${property}\\s*=\\s*["']([^"']*)["']`).exec(xmp)?.[1] ?? '')
  const items = [...element.matchAll(/<rdf:li(?:\s[^>]*)?>([\s\S]*?)<\/rdf:li>/g)].map((item) => plain(item[1] ?? ''))
  return items.length > 0 ? items.filter(Boolean).join(', ') : plain(element)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(x?)([\da-f]+);/gi, (_, hex: string, digits: string) => codePoint(parseInt(digits, hex ? 16 : 10)))
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}

function codePoint(value: number): string {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : ''
}
