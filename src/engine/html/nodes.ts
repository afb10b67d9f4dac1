import type { Element, ElementContent, Nodes, Parents, Root, RootContent } from 'hast'
import { EXIT, SKIP, visit } from 'unist-util-visit'

export function isElement(node: Nodes | RootContent | ElementContent | undefined, tagName?: string): node is Element {
  return node?.type === 'element' && (tagName === undefined || node.tagName === tagName)
}

/** Removes every element that the rule names, with what is in it. */
export function removeElements(tree: Nodes, isUnwanted: (element: Element) => boolean): void {
  visit(tree, 'element', (node, index, parent) => {
    if (parent === undefined || index === undefined || !isUnwanted(node)) return undefined
    parent.children.splice(index, 1)
    return [SKIP, index]
  })
}

export function firstElement(tree: Nodes, isWanted: (element: Element) => boolean): Element | null {
  let found: Element | null = null
  visit(tree, 'element', (node) => {
    if (!isWanted(node)) return undefined
    found = node
    return EXIT
  })
  return found
}

export function elementsOf(tree: Nodes, isWanted: (element: Element) => boolean): Element[] {
  const found: Element[] = []
  visit(tree, 'element', (node) => {
    if (isWanted(node)) found.push(node)
  })
  return found
}

/** An attribute as one string, trimmed; null when it is absent or empty. */
export function attribute(element: Element, name: string): string | null {
  const value = element.properties[name]
  if (value === undefined || value === null || value === false) return null
  const text = (Array.isArray(value) ? value.join(' ') : String(value)).trim()
  return text === '' ? null : text
}

/** Text of a node and all in it, white space collapsed. */
export function textOf(node: Nodes): string {
  const parts: string[] = []
  visit(node, 'text', (text) => {
    parts.push(text.value)
  })
  return parts.join('').replace(/\s+/g, ' ').trim()
}

export function bodyOf(tree: Root): Parents {
  return firstElement(tree, (element) => element.tagName === 'body') ?? tree
}

export function rootOf(children: readonly Nodes[]): Root {
  return { type: 'root', children: [...children] as RootContent[] }
}
