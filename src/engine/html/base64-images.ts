import type { Element, Root } from 'hast'
import { attribute, elementsOf } from './nodes.ts'

/** What stands in a Markdown image where the picture itself was; clients of the service know this spelling. */
export const REMOVED_IMAGE = '<Base64-Image-Removed>'

/** An image of Markdown or of HTML inside Markdown whose address is the picture itself. */
const MARKDOWN_IMAGE = /(!\[(?:[^\]\\]|\\.)*\]\()\s*<?data:image\/[^)\s>]*>?(?:\s+"[^"]*")?\s*\)/gi
const HTML_SOURCE = /(<img\b[^>]*?\bsrc\s*=\s*)(["'])data:image\/[^"']*\2/gi
/** Reference style: `[id]: data:image/…`. */
const DEFINITION = /^( {0,3}\[[^\]]+\]:\s*)<?data:image\/\S*>?/gim

/** Takes pictures that are written out as base64 out of Markdown; alt texts stay (`removeBase64Images`). */
export function removeBase64Images(markdown: string): string {
  if (!/data:image\//i.test(markdown)) return markdown
  return markdown
    .replace(MARKDOWN_IMAGE, `$1${REMOVED_IMAGE})`)
    .replace(HTML_SOURCE, '$1$2$2')
    .replace(DEFINITION, `$1${REMOVED_IMAGE}`)
}

/** The same for a tree: the image stays with its alt text and loses its source. */
export function removeBase64Sources(tree: Root): void {
  for (const image of elementsOf(tree, isInlinePicture)) {
    delete image.properties.src
    image.properties.dataRemoved = 'base64'
  }
}

function isInlinePicture(element: Element): boolean {
  return (element.tagName === 'img' || element.tagName === 'source') && /^data:/i.test(attribute(element, 'src') ?? '')
}
