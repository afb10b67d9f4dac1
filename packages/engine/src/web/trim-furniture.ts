import type { Element, Nodes, Parents, Root } from 'hast'
import { isLandmark, isNamedFurniture } from './furniture.ts'
import { elementsOf, removeElements, textOf } from './nodes.ts'

/** A name may lie. What holds more than this share of the text is content, whatever it is called. */
const MAX_FURNITURE_SHARE = 0.3
/** A text shorter than this may stand in furniture and in content alike. */
const MIN_KNOWN_CHARACTERS = 20
/** As above, of a text deep within furniture, which may be the headline of another article. */
const MIN_DEEP_CHARACTERS = 60

/**
 * Removes furniture that stands inside or around content, and headings at the end that head nothing any more. The reader
 * view takes names away from some elements that it keeps: these are known again by their text in `page`.
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

/** Texts of what is furniture by name, long enough to be known again and short enough to be furniture. */
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

/** The reader view may keep a part of furniture without what is around it. */
const isContainer = ({ tagName }: Element): boolean => /^(?:div|section|ul|ol|figure)$/.test(tagName)

/** `Related articles` after its articles are gone. A tree of headings only is left alone. */
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
