import type { Root } from 'hast'
import { attribute, elementsOf } from './nodes.ts'

/** Addresses that lead nowhere outside the page. */
const NOT_A_LINK = /^(?:#|javascript:|data:|about:|blob:)/i

/** Where the page links to, each address once, in the order of the page. */
export function linksOf(tree: Root): string[] {
  const links = elementsOf(tree, ({ tagName }) => tagName === 'a' || tagName === 'area').map((link) =>
    attribute(link, 'href'),
  )
  return unique(links).filter((address) => !NOT_A_LINK.test(address))
}

/** Addresses of the images, each once, in the order of the page; images inside the page (`data:`) are not addresses. */
export function imagesOf(tree: Root): string[] {
  const images = elementsOf(tree, ({ tagName }) => tagName === 'img' || tagName === 'image').map((image) =>
    attribute(image, 'src'),
  )
  return unique(images).filter((address) => !/^(?:data|blob):/i.test(address))
}

function unique(addresses: readonly (string | null)[]): string[] {
  return [...new Set(addresses.filter((address) => address !== null))]
}
