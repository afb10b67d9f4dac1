import type { Element, Root } from 'hast'
import { attribute, elementsOf } from './nodes.ts'

/** What stands in a Markdown image where the picture itself was; clients of the service know this spelling. */
export const REMOVED_IMAGE = '<Base64-Image-Removed>'

/** Takes the source from pictures that are written out as base64; the image and its alt text stay (`removeBase64Images`). */
export function removeBase64Sources(tree: Root): void {
  for (const image of elementsOf(tree, isInlinePicture)) {
    delete image.properties.src
    image.properties.dataRemoved = 'base64'
  }
}

function isInlinePicture(element: Element): boolean {
  return (element.tagName === 'img' || element.tagName === 'source') && /^data:/i.test(attribute(element, 'src') ?? '')
}
