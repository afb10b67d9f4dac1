import type { Element, Root } from 'hast'
import { attribute, elementsOf } from './nodes.ts'

/** Replacement for the source of a Markdown image. Clients of the service know this spelling. */
export const REMOVED_IMAGE = '<Base64-Image-Removed>'

/** Removes base64 sources of pictures. The image and its alt text remain (`removeBase64Images`). */
export function removeBase64Sources(tree: Root): void {
  for (const image of elementsOf(tree, isInlinePicture)) {
    delete image.properties.src
    image.properties.dataRemoved = 'base64'
  }
}

function isInlinePicture(element: Element): boolean {
  return (element.tagName === 'img' || element.tagName === 'source') && /^data:/i.test(attribute(element, 'src') ?? '')
}
