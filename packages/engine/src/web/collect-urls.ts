import type { Root } from 'hast'
import { attribute, elementsOf } from './nodes.ts'

/** URLs that do not leave the page. */
const NOT_A_LINK = /^(?:#|javascript:|data:|about:|blob:)/i

/** Returns the link targets of the page without duplicates, in page order. */
export function linksOf(tree: Root): string[] {
  const links = elementsOf(tree, ({ tagName }) => tagName === 'a' || tagName === 'area').map((link) =>
    attribute(link, 'href'),
  )
  return unique(links).filter((address) => !NOT_A_LINK.test(address))
}

/** Returns the URLs of the images without duplicates, in page order. Excludes embedded images (`data:`). */
export function imagesOf(tree: Root): string[] {
  const images = elementsOf(tree, ({ tagName }) => tagName === 'img' || tagName === 'image').map((image) =>
    attribute(image, 'src'),
  )
  return unique(images).filter((address) => !/^(?:data|blob):/i.test(address))
}

function unique(addresses: readonly (string | null)[]): string[] {
  return [...new Set(addresses.filter((address) => address !== null))]
}
