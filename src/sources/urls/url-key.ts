import { type Extension, extensionOf, formatOf, type TextExtension, textExtensionOf } from '@sluice/contract'
import { type SourceKey, sourceKey } from '#src/document/ids.ts'

/** Stands between a URL that does not end in its document's extension and that extension. */
const ADDED = /!\.[a-z]+$/

/**
 * The source key of a URL: host, path and query as they are spelled in it, `http:` in front where it is no https, and
 * the extension of the document behind `!` where the path does not end in it. `https://a.org/q3.pdf` → `a.org/q3.pdf`,
 * `http://a.org/?id=7` → `http:a.org/?id=7!.html`. Two URLs never share a key.
 */
export function keyOfUrl(url: URL, extension: Extension | TextExtension): SourceKey {
  // Not put together of its parts: a `?` with nothing behind it is in none of them.
  const address = url.href.replace(/^https:\/\//, '').replace(/^http:\/\//, 'http:')
  const ending = extensionOf(url.pathname) ?? textExtensionOf(url.pathname)
  const isPlain = !address.includes('?') && ending === extension && !ADDED.test(address)
  return sourceKey(isPlain ? address : `${address}!.${extension}`)
}

/** The URL that a key was made of. */
export function urlOfKey(key: SourceKey): URL {
  const address = key.replace(ADDED, '')
  return new URL(address.startsWith('http:') ? `http://${address.slice('http:'.length)}` : `https://${address}`)
}

/** The extension that a URL's path ends in and that says the same as `extension`, else `extension`. */
export function asSpelled(url: URL, extension: Extension): Extension {
  const spelled = extensionOf(url.pathname)
  return spelled !== null && formatOf(spelled).family === formatOf(extension).family ? spelled : extension
}
