import type { Element, Nodes, Parents, Root } from 'hast'
import { removeElements } from './nodes.ts'
import { removeScripts } from './remove-scripts.ts'

/**
 * Elements that are never content: the contract's list (script, style, noscript, meta, head), and elements without text
 * for a reader.
 */
const NEVER_CONTENT = new Set(['script', 'style', 'noscript', 'meta', 'head', 'link', 'base', 'template', 'title'])

/**
 * Removes the exclusions of the contract's `html` field, scripts, comments and elements with the `hidden` attribute.
 */
export function cleanTree(tree: Root): void {
  removeElements(tree, (element) => NEVER_CONTENT.has(element.tagName) || isHidden(element))
  removeScripts(tree)
  removeComments(tree)
}

function removeComments(parent: Parents): void {
  const kept: Nodes[] = parent.children.filter((child) => child.type !== 'comment' && child.type !== 'doctype')
  parent.children = kept as typeof parent.children
  for (const child of kept) if (child.type === 'element') removeComments(child)
}

function isHidden(element: Element): boolean {
  const { hidden } = element.properties
  return hidden !== undefined && hidden !== null && hidden !== false
}
