import type { Element, ElementContent, Nodes, Parents, Root, RootContent } from 'hast'

/*
 * Tree walks by plain recursion. The parser limits the depth. A page of a million nodes is walked a dozen times, and a
 * general visitor is too slow for that.
 */

type Node = Nodes | RootContent | ElementContent

export function isElement(node: Node | undefined, tagName?: string): node is Element {
  return node?.type === 'element' && (tagName === undefined || node.tagName === tagName)
}

/** Removes every matching element with its content. */
export function removeElements(tree: Node, isUnwanted: (element: Element) => boolean): void {
  if (!('children' in tree)) return
  const { children } = tree
  let kept = 0
  for (const child of children) {
    if (child.type === 'element' && isUnwanted(child)) continue
    children[kept] = child
    kept += 1
    removeElements(child, isUnwanted)
  }
  children.length = kept
}

export function firstElement(tree: Node, isWanted: (element: Element) => boolean): Element | null {
  if (tree.type === 'element' && isWanted(tree)) return tree
  if (!('children' in tree)) return null
  for (const child of tree.children) {
    const found = firstElement(child, isWanted)
    if (found !== null) return found
  }
  return null
}

/** In page order, the tree itself included. */
export function elementsOf(tree: Node, isWanted: (element: Element) => boolean): Element[] {
  const found: Element[] = []
  const walk = (node: Node): void => {
    if (node.type === 'element' && isWanted(node)) found.push(node)
    if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(tree)
  return found
}

/** Returns an attribute as one trimmed string. Null if it is absent or empty. */
export function attribute(element: Element, name: string): string | null {
  const value = element.properties[name]
  if (value === undefined || value === null || value === false) return null
  const text = (Array.isArray(value) ? value.join(' ') : String(value)).trim()
  return text === '' ? null : text
}

/** Returns the text of a node and its descendants, with collapsed white space. */
export function textOf(node: Node): string {
  const parts: string[] = []
  const walk = (part: Node): void => {
    if (part.type === 'text') parts.push(part.value)
    if ('children' in part) for (const child of part.children) walk(child)
  }
  walk(node)
  return parts.join('').replace(/\s+/g, ' ').trim()
}

export function bodyOf(tree: Root): Parents {
  return firstElement(tree, (element) => element.tagName === 'body') ?? tree
}

export function rootOf(children: readonly Nodes[]): Root {
  return { type: 'root', children: [...children] as RootContent[] }
}
