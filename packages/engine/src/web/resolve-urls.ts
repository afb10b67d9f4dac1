import type { Element, Root } from 'hast'
import { attribute, elementsOf, firstElement } from './nodes.ts'

/** Attributes that hold one address, by the name hast gives them. */
const ADDRESSES = ['href', 'src', 'poster', 'cite', 'data', 'longDesc'] as const

/**
 * Where relative addresses of a page start: its `base` element, else the address it was fetched from, else the address
 * that it calls its own (canonical link, `og:url`). Null: it is unknown, and relative addresses stay as they are.
 */
export function baseUrlOf(tree: Root, fetchedFrom: string | null): URL | null {
  const page = webAddress(fetchedFrom, null) ?? ownAddressOf(tree)
  const base = firstElement(tree, (element) => element.tagName === 'base' && attribute(element, 'href') !== null)
  return webAddress(base === null ? null : attribute(base, 'href'), page) ?? page
}

/** Makes the addresses of a tree absolute and gives every image its largest source, lazy ones included. */
export function resolveUrls(tree: Root, base: URL | null): void {
  for (const element of elementsOf(tree, () => true)) {
    if (element.tagName === 'img') chooseSource(element)
    if (element.tagName === 'picture') chooseFromPicture(element)
    if (element.tagName === 'source') keepLargest(element, base)
    for (const name of ADDRESSES) {
      const address = attribute(element, name)
      if (address !== null) element.properties[name] = absolute(address, base)
    }
  }
}

/** The address against the base; as it was where there is no base, or where it is not an address at all. */
function absolute(address: string, base: URL | null): string {
  if (address.startsWith('#') || /^data:/i.test(address)) return writable(address)
  return writable(URL.parse(address, base?.href)?.href ?? address)
}

/** Characters that no address has (RFC 3986), as browsers send them: in Markdown they would end the address and begin markup. */
const writable = (address: string): string => address.replace(/[\u0000-\u0020<>"`]/g, encodeURIComponent)

function ownAddressOf(tree: Root): URL | null {
  const canonical = firstElement(tree, ({ tagName, properties }) => {
    return tagName === 'link' && Array.isArray(properties.rel) && properties.rel.includes('canonical')
  })
  const openGraph = firstElement(
    tree,
    (element) => element.tagName === 'meta' && attribute(element, 'property') === 'og:url',
  )
  return (
    webAddress(canonical === null ? null : attribute(canonical, 'href'), null) ??
    webAddress(openGraph === null ? null : attribute(openGraph, 'content'), null)
  )
}

function webAddress(address: string | null, base: URL | null): URL | null {
  const url = address === null ? null : URL.parse(address, base?.href)
  return url !== null && /^https?:$/.test(url.protocol) ? url : null
}

/** `srcset` wins over `src`; where `src` only holds the place, the attributes of lazy loaders are read. */
function chooseSource(image: Element): void {
  const source = attribute(image, 'src')
  const lazy = ['dataSrc', 'dataOriginal', 'dataLazySrc', 'dataLazy', 'dataUrl']
    .map((name) => attribute(image, name))
    .find((value) => value !== null)
  const candidates = attribute(image, 'srcSet') ?? attribute(image, 'dataSrcSet') ?? attribute(image, 'dataSrcset')
  const largest = candidates === null ? null : largestOf(candidates)
  const isPlaceholder = source === null || (/^data:/i.test(source) && source.length < 2_000)
  const chosen = largest ?? (isPlaceholder ? (lazy ?? source) : source)
  if (chosen !== null) image.properties.src = chosen
  delete image.properties.srcSet
  delete image.properties.sizes
}

/** `picture` is an image with a choice of formats: the image gets the largest source when it has none of its own. */
function chooseFromPicture(picture: Element): void {
  const image = firstElement(picture, (element) => element.tagName === 'img')
  if (image === null || attribute(image, 'src') !== null || attribute(image, 'srcSet') !== null) return
  const source = firstElement(
    picture,
    (element) => element.tagName === 'source' && attribute(element, 'srcSet') !== null,
  )
  const largest = source === null ? null : largestOf(attribute(source, 'srcSet') ?? '')
  if (largest !== null) image.properties.src = largest
}

/** A source of a `picture` or a film with several sizes keeps the largest. */
function keepLargest(source: Element, base: URL | null): void {
  const largest = largestOf(attribute(source, 'srcSet') ?? '')
  if (largest !== null) source.properties.srcSet = absolute(largest, base)
}

/** The candidate of a `srcset` with the greatest width or density (HTML standard, "srcset attribute"); null for none. */
function largestOf(srcset: string): string | null {
  let largest: string | null = null
  let greatest = -1
  for (const [, address = '', size = '1', unit = 'x'] of srcset.matchAll(
    /\s*,*\s*(\S*[^\s,])(?:\s+([\d.]+)([wx]))?\s*(?:,|$)/g,
  )) {
    const pixels = Number(size) * (unit === 'x' ? 1_000 : 1)
    if (pixels > greatest) {
      greatest = pixels
      largest = address
    }
  }
  return largest
}
