import type { Element, Nodes, Parents, Root } from 'hast'
import { removeElements } from './nodes.ts'
import { removeScripts } from './remove-scripts.ts'

/** Never content: the contract's list (script, style, noscript, meta, head) and what carries no text for a reader. */
const NEVER_CONTENT = new Set(['script', 'style', 'noscript', 'meta', 'head', 'link', 'base', 'template', 'title'])

/** Removes what the contract's `html` field leaves out, what runs scripts, comments and elements that are marked `hidden`. */
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
