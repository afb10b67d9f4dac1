import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { removeElements, rootOf } from './nodes.ts'

/**
 * Keeps only what the selectors match, in the order of the page, each part once; an element inside a chosen one is not
 * repeated. No selectors: the tree as it is. What is not a CSS selector is put into `refused`.
 */
export function includeTags(tree: Root, selectors: readonly string[], refused: string[]): Root {
  if (selectors.length === 0) return tree
  const chosen = matches(tree, selectors, refused)
  const parts: Element[] = []
  removeElements(tree, (element) => {
    if (chosen.has(element)) parts.push(element)
    return chosen.has(element)
  })
  return rootOf(parts)
}

/** Removes what the selectors match. What is not a CSS selector is put into `refused`. */
export function excludeTags(tree: Root, selectors: readonly string[], refused: string[]): void {
  if (selectors.length === 0) return
  const unwanted = matches(tree, selectors, refused)
  removeElements(tree, (element) => unwanted.has(element))
}

function matches(tree: Root, selectors: readonly string[], refused: string[]): ReadonlySet<Element> {
  const found = new Set<Element>()
  for (const selector of selectors) {
    try {
      for (const element of selectAll(selector, tree)) found.add(element)
    } catch {
      refused.push(selector)
    }
  }
  return found
}
