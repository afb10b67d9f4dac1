/** An object of a listing. */
export interface ListedObject {
  /** Full key in the bucket. */
  readonly key: string
  readonly etag: string
  readonly bytes: number
}

/** Page of a listing: up to 1,000 objects and folders. */
export interface ListingPage {
  readonly objects: readonly ListedObject[]
  /** Full prefixes, each with its slash at the end; only if the request had a delimiter. */
  readonly folders: readonly string[]
  /** Cursor of the next page; null at the end. */
  readonly next: string | null
}

/**
 * Fast parser of ListObjectsV2, which needs three elements per object. Null if the XML deviates from the common form
 * (an attribute, CDATA, a missing element, a wrong count). The fallback is the SDK's parser, which supports all of XML
 * and is many times slower. This parser guesses nothing, because an object that is not listed counts as gone.
 */
export function readListingPage(xml: string): ListingPage | null {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith('</ListBucketResult>')) return null
  if (xml.includes('<!')) return null
  const objects = elementsOf(xml, CONTENTS)?.map(readObject)
  const folders = elementsOf(xml, COMMON_PREFIXES)?.map((folder) => textOf(folder, PREFIX))
  if (objects === undefined || folders === undefined || objects.includes(null) || folders.includes(null)) return null
  if (Number(textOf(xml, KEY_COUNT) ?? Number.NaN) !== objects.length + folders.length) return null
  const next = textOf(xml, NEXT_TOKEN)
  if (textOf(xml, IS_TRUNCATED) !== String(next !== null)) return null
  return { objects: objects as ListedObject[], folders: (folders as string[]).map(decodedKey), next }
}

interface Tag {
  readonly begins: string
  readonly opens: string
  readonly closes: string
}

const tag = (name: string): Tag => ({ begins: `<${name}`, opens: `<${name}>`, closes: `</${name}>` })

const CONTENTS = tag('Contents')
const KEY = tag('Key')
const ETAG = tag('ETag')
const SIZE = tag('Size')
const COMMON_PREFIXES = tag('CommonPrefixes')
const PREFIX = tag('Prefix')
const KEY_COUNT = tag('KeyCount')
const IS_TRUNCATED = tag('IsTruncated')
const NEXT_TOKEN = tag('NextContinuationToken')

function readObject(contents: string): ListedObject | null {
  const key = textOf(contents, KEY)
  const etag = textOf(contents, ETAG)
  const bytes = textOf(contents, SIZE)
  if (key === null || etag === null || bytes === null || !/^\d+$/.test(bytes)) return null
  return { key: decodedKey(key), etag: unquoted(etag), bytes: Number(bytes) }
}

/** Contents of each of these elements; null if one is not plainly opened and closed. */
function elementsOf(xml: string, { begins, opens, closes }: Tag): readonly string[] | null {
  const found: string[] = []
  for (let at = xml.indexOf(begins), end; at !== -1; at = xml.indexOf(begins, end)) {
    end = xml.indexOf(closes, at)
    if (end === -1 || !xml.startsWith(opens, at)) return null
    found.push(xml.slice(at + opens.length, end))
  }
  return found
}

/** Text of the only such element; null if there are none or several. */
function textOf(xml: string, { opens, closes }: Tag): string | null {
  const at = xml.indexOf(opens)
  const end = at === -1 ? -1 : xml.indexOf(closes, at)
  if (end === -1 || xml.includes(opens, end)) return null
  return unescaped(xml.slice(at + opens.length, end))
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(escaped: string): string {
  if (!escaped.includes('&')) return escaped
  // The quotes of an ETag, in every object.
  const text = escaped.replaceAll('&quot;', '"')
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

/** Decodes a key. Requests ask for URL encoding, because XML cannot hold the control characters of some keys. */
export function decodedKey(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Removes the quotes of an ETag, which some stores omit. */
export function unquoted(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}
