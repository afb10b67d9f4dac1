import type { Element, Nodes, Parents, Root } from 'hast'
import { attribute, elementsOf, firstElement, removeElements, textOf } from './nodes.ts'

/** Threshold in characters. Longer texts are sentences of the article. */
const MAX_CHARACTERS = 160
/** Threshold in characters. A longer caption is a separate text. */
const MAX_CAPTION_CHARACTERS = 500

const CAPTION_NAME = /(?:^|[-_])(?:caption|caption-?text|credits?|photo-?credit|image-?credit)(?:$|[-_])/i
const MEDIA = /^(?:img|picture|video|iframe|svg|amp-img)$/
const BLOCK = /^(?:p|div|span|time|small|address|section|ul|figure|footer|a|h[2-6])$/

/** `Published: 19 November 2019 08:38`, `Last updated on Nov 19, 2019`. */
const DATE_LINE =
  /^(?:first |last |originally )?(?:published|updated|posted|modified|created)(?: (?:on|at))?\s*:?\s.*\b(?:19|20)\d\d\b|^(?:updated|published)\s*:?\s*(?:\d|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b)/i
/** `Post Comment (+)`, `Leave a reply`, `12 comments`, `Share this article`. */
const CALL_TO_ACTION =
  /^(?:(?:post|leave|add|write|view|show|read)(?: an?| your| all| the)? (?:comments?|repl(?:y|ies))|\d+ comments?|comments?|share (?:this(?: \w+)?|on \w+)|share|print|e-?mail|tweet|advertisement|sponsored)(?: \(.{0,6}\))?[.:!]?$/i

/**
 * Removes parts of an article that the reader view keeps but that are not its text. They are captions and credits of
 * pictures, date and author lines, calls to comment or share, and rules at its end. Pictures remain.
 */
export function trimArticle(article: Root): void {
  removeElements(article, isCaption)
  removeElements(article, isLabel)
  dropEnd(article)
}

function isCaption(element: Element): boolean {
  const names = Array.isArray(element.properties.className) ? element.properties.className.map(String) : []
  const isNamed = element.tagName === 'figcaption' || names.some((name) => CAPTION_NAME.test(name))
  if (!isNamed || element.tagName === 'caption' || textOf(element).length > MAX_CAPTION_CHARACTERS) return false
  return (
    firstElement(element, ({ tagName }) => MEDIA.test(tagName) || /^(?:table|pre|code|math)$/.test(tagName)) === null
  )
}

function isLabel(element: Element): boolean {
  if (!BLOCK.test(element.tagName) || attribute(element, 'itemProp') === 'articleBody') return false
  if (elementsOf(element, ({ tagName }) => MEDIA.test(tagName)).length > 0) return false
  const text = textOf(element)
  return text.length > 0 && text.length <= MAX_CHARACTERS && (DATE_LINE.test(text) || CALL_TO_ACTION.test(text))
}

/** Removes rules at the end. */
function dropEnd(tree: Parents): void {
  const last = tree.children.findLastIndex((child) => !isBlank(child))
  const child = tree.children[last]
  if (child?.type !== 'element') return
  if (child.tagName !== 'hr') return /^(?:div|section|article)$/.test(child.tagName) ? dropEnd(child) : undefined
  tree.children.splice(last)
  dropEnd(tree)
}

const isBlank = (node: Nodes): boolean => node.type !== 'element' && (node.type !== 'text' || node.value.trim() === '')
