import type { Element, Root } from 'hast'
import { attribute, elementsOf, firstElement } from './nodes.ts'

/** Attributes that contain one URL, with their hast names. */
const ADDRESSES = ['href', 'src', 'poster', 'cite', 'data', 'longDesc'] as const

/**
 * Returns the base of relative URLs: the page's `base` element, else its URL, else its declared URL (canonical link,
 * `og:url`). Null if unknown, and relative URLs remain unchanged.
 */
export function baseUrlOf(tree: Root, fetchedFrom: string | null): URL | null {
  const page = webAddress(fetchedFrom, null) ?? ownAddressOf(tree)
  const base = firstElement(tree, (element) => element.tagName === 'base' && attribute(element, 'href') !== null)
  return webAddress(base === null ? null : attribute(base, 'href'), page) ?? page
}

/** Makes the URLs of a tree absolute, and assigns every image its largest source, lazy ones included. */
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

/** Resolves a URL against the base. Returns it unchanged without a base, or if it is invalid. */
function absolute(address: string, base: URL | null): string {
  if (address.startsWith('#') || /^data:/i.test(address)) return writable(address)
  return writable(URL.parse(address, base?.href)?.href ?? address)
}

/** Encodes characters that RFC 3986 excludes, as browsers do. In Markdown they would end the URL and start markup. */
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

/** `srcset` takes precedence over `src`. If `src` is only a placeholder, the attributes of lazy loaders apply. */
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

/** `picture` is an image with a choice of formats. The image gets the largest source if it has none. */
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

/** Keeps the largest source of a `picture` or a video with several sizes. */
function keepLargest(source: Element, base: URL | null): void {
  const largest = largestOf(attribute(source, 'srcSet') ?? '')
  if (largest !== null) source.properties.srcSet = absolute(largest, base)
}

/**
 * Returns the candidate of a `srcset` with the greatest width or density (HTML standard, "srcset attribute"). Null if
 * empty.
 */
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
