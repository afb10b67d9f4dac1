import type { Element, Root } from 'hast'
import { visit } from 'unist-util-visit'
import { removeElements } from './nodes.ts'

/** Never content: the contract's list (script, style, noscript, meta, head) and what carries no text for a reader. */
const NEVER_CONTENT = new Set(['script', 'style', 'noscript', 'meta', 'head', 'link', 'base', 'template', 'title'])

/** Removes what the contract's `html` field leaves out, comments and elements that are marked `hidden`. */
export function cleanTree(tree: Root): void {
  removeElements(tree, (element) => NEVER_CONTENT.has(element.tagName) || isHidden(element))
  visit(tree, (node, index, parent) => {
    if (node.type !== 'comment' && node.type !== 'doctype') return undefined
    if (parent === undefined || index === undefined) return undefined
    parent.children.splice(index, 1)
    return index
  })
}

function isHidden(element: Element): boolean {
  const { hidden } = element.properties
  return hidden !== undefined && hidden !== null && hidden !== false
}
