/** One object of a listing. */
export interface ListedObject {
  /** Full key in the bucket. */
  readonly key: string
  readonly etag: string
  readonly bytes: number
}

/** What a store answers to one request for a listing: up to 1,000 objects and folders. */
export interface ListingPage {
  readonly objects: readonly ListedObject[]
  /** Full prefixes, each with its slash at the end; only where a delimiter was asked for. */
  readonly folders: readonly string[]
  /** What the next page is asked for with; null at the end. */
  readonly next: string | null
}

/**
 * Reads the answer to ListObjectsV2, of whose elements we need three for an object. Null for what does not look
 * exactly as stores write it (an attribute, CDATA, an element missing, a count that does not fit): the SDK's parser,
 * which takes all of XML and many times as long, is then asked what it means. Nothing is guessed here, since an object
 * that is not listed is taken to be gone.
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

/** What stands in each of these elements; null where one is not plainly opened and closed. */
function elementsOf(xml: string, { begins, opens, closes }: Tag): readonly string[] | null {
  const found: string[] = []
  for (let at = xml.indexOf(begins), end; at !== -1; at = xml.indexOf(begins, end)) {
    end = xml.indexOf(closes, at)
    if (end === -1 || !xml.startsWith(opens, at)) return null
    found.push(xml.slice(at + opens.length, end))
  }
  return found
}

/** The text of the one such element; null where there are none or several. */
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

/** Keys are asked for in URL encoding: XML cannot hold the control characters that they may have. */
export function decodedKey(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Stores differ in whether they quote it. */
export function unquoted(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}
