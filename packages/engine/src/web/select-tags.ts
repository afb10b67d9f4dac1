import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { removeElements, rootOf } from './nodes.ts'

/**
 * Keeps only the matches of the selectors, in page order and without duplicates. Nested matches are not repeated.
 * Returns the tree unchanged without selectors. Appends invalid CSS selectors to `refused`.
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

/** Removes the matches of the selectors. Appends invalid CSS selectors to `refused`. */
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
