import { type Extension, extensionOf, formatOf, type TextExtension, textExtensionOf } from '@sluice/contract'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'

/** Separator and extension after a URL that does not end in its document's extension. */
const ADDED = /!\.(?:[a-z]+|jp2)$/

/**
 * Source key of a URL: host, path and query as written, the prefix `http:` unless it is https. If the path lacks the
 * extension of the document, `!` and the extension follow. `https://a.org/q3.pdf` → `a.org/q3.pdf`,
 * `http://a.org/?id=7` → `http:a.org/?id=7!.html`. Two URLs never share a key.
 */
export function keyOfUrl(url: URL, extension: Extension | TextExtension): SourceKey {
  // Cuts the full text, because the parsed parts omit a `?` with an empty query.
  const address = url.href.replace(/^https:\/\//, '').replace(/^http:\/\//, 'http:')
  const ending = extensionOf(url.pathname) ?? textExtensionOf(url.pathname)
  const isPlain = !address.includes('?') && ending === extension && !ADDED.test(address)
  return sourceKey(isPlain ? address : `${address}!.${extension}`)
}

/** Returns the URL of a key. */
export function urlOfKey(key: SourceKey): URL {
  const address = key.replace(ADDED, '')
  return new URL(address.startsWith('http:') ? `http://${address.slice('http:'.length)}` : `https://${address}`)
}

/** Returns the extension of a URL's path if it means the same as `extension`, else `extension`. */
export function asSpelled(url: URL, extension: Extension): Extension {
  const spelled = extensionOf(url.pathname)
  return spelled !== null && formatOf(spelled).family === formatOf(extension).family ? spelled : extension
}
