import type { Element, Nodes, Parents, Root } from 'hast'
import { isLandmark, isNamedFurniture } from './furniture.ts'
import { elementsOf, removeElements, textOf } from './nodes.ts'

/** Threshold: fraction of the text. An element above it is content, under any name, because names may be wrong. */
const MAX_FURNITURE_SHARE = 0.3
/** Threshold in characters. A shorter text may occur in furniture and in content. */
const MIN_KNOWN_CHARACTERS = 20
/** The same threshold for a text deep within furniture, which may be the headline of another article. */
const MIN_DEEP_CHARACTERS = 60

/**
 * Removes furniture inside or around content, and trailing headings without content. The reader view removes names from
 * some elements that it keeps. A lookup of their text in `page` identifies them.
 */
export function trimFurniture(tree: Root, page: Root | null = null): void {
  removeElements(tree, isLandmark)
  const limit = MAX_FURNITURE_SHARE * textOf(tree).length
  const known = page === null ? null : furnitureTexts(page, limit)
  removeElements(tree, (element) => {
    const isNamed = isNamedFurniture(element)
    if (!isNamed && known === null) return false
    const text = textOf(element)
    return (isNamed && text.length <= limit) || (known?.has(text) ?? false)
  })
  dropLastHeadings(tree)
}

/** Returns the texts of furniture by name, long enough for a match and short enough for furniture. */
function furnitureTexts(page: Root, limit: number): ReadonlySet<string> {
  const texts = elementsOf(page, isNamedFurniture)
    .filter((element) => textOf(element).length <= limit)
    .flatMap((element) => [
      ...[element, ...element.children].map(textOf).filter((text) => text.length >= MIN_KNOWN_CHARACTERS),
      ...elementsOf(element, isContainer)
        .map(textOf)
        .filter((text) => text.length >= MIN_DEEP_CHARACTERS),
    ])
  return new Set(texts)
}

/** The reader view may keep a part of furniture without its container. */
const isContainer = ({ tagName }: Element): boolean => /^(?:div|section|ul|ol|figure)$/.test(tagName)

/** Removes a heading such as `Related articles` after its articles are gone. A tree of headings remains unchanged. */
function dropLastHeadings(tree: Parents): void {
  const last = tree.children.findLastIndex((child) => !isBlank(child))
  const child = tree.children[last]
  if (child?.type !== 'element') return
  if (/^(?:div|section|article|main|body)$/.test(child.tagName)) dropLastHeadings(child)
  if (last === 0 || !/^h[2-6]$/.test(child.tagName)) return
  tree.children.splice(last)
  dropLastHeadings(tree)
}

function isBlank(node: Nodes): boolean {
  if (node.type === 'element' && /^(?:img|picture|video|svg|math|hr)$/.test(node.tagName)) return false
  if ('children' in node) return node.children.every(isBlank)
  return node.type !== 'text' || node.value.trim() === ''
}
