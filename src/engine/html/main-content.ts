import type { Element, Nodes, Root } from 'hast'
import { articleOf } from './article.ts'
import { isFurniture, isInvisible, isLandmark } from './furniture.ts'
import { attribute, bodyOf, elementsOf, firstElement, isElement, removeElements, rootOf, textOf } from './nodes.ts'

/** Below this an article is a leftover, not the content of a page. */
const MIN_ARTICLE_CHARACTERS = 200
/** An article that holds less than this share of the running text missed something. */
const MIN_PROSE_SHARE = 0.5
/** A block shorter than this is a label, not running text. */
const MIN_PROSE_CHARACTERS = 60

const PROSE_TAGS = new Set(['p', 'li', 'dd', 'td', 'pre', 'blockquote', 'figcaption'])

/**
 * The main content of a page (`onlyMainContent`). A page without any furniture is content from end to end and comes out
 * whole. Else Firefox's reader view decides, unless it finds nothing or loses most of the running text, as it does with
 * reference pages and forums: then it is the page's own main part, or its body, less the furniture. Never empty where
 * the page is not.
 *
 * `page` is the page as parsed, `clean` the same without what is never content; neither is kept.
 */
export function mainContentOf(page: Root, clean: Root): Root {
  if (!hasFurniture(clean)) return clean
  const whole = structuredClone(clean)
  const part = structurePart(clean)
  const article = articleOf(page)
  if (article !== null && isGoodArticle(article, part)) return withTitle(article, whole)
  return textOf(part) === '' ? whole : part
}

function hasFurniture(tree: Root): boolean {
  return firstElement(tree, (element) => isPageFrame(element) || isFurniture(element)) !== null
}

function isGoodArticle(article: Root, part: Root): boolean {
  if (textOf(article).length < MIN_ARTICLE_CHARACTERS) return false
  return proseLength(article) >= MIN_PROSE_SHARE * proseLength(part)
}

/** The part that the page itself marks as main, else its body, without furniture. */
function structurePart(tree: Root): Root {
  const marked = elementsOf(tree, isMarkedMain)
  const articles = elementsOf(tree, (element) => element.tagName === 'article')
  const only = marked.length === 1 ? marked : marked.length === 0 && articles.length === 1 ? articles : []
  const part = rootOf(only.length === 1 ? only : bodyOf(tree).children)
  removeElements(part, (element) => isInvisible(element) || isFurniture(element) || isOuterFrame(element))
  return part
}

function isMarkedMain(element: Element): boolean {
  return element.tagName === 'main' || attribute(element, 'role') === 'main'
}

function isPageFrame(element: Element): boolean {
  return element.tagName === 'header' || element.tagName === 'footer' || isLandmark(element)
}

/** A page's header or footer, not the header of an article, which holds its title. */
function isOuterFrame(element: Element): boolean {
  if (element.tagName === 'footer') return true
  return element.tagName === 'header' && firstElement(element, isTitle) === null
}

function isTitle(element: Element): boolean {
  return element.tagName === 'h1'
}

/** Characters of running text: blocks that are long enough and are not mostly links. */
function proseLength(tree: Nodes): number {
  let length = 0
  for (const block of elementsOf(tree, (element) => PROSE_TAGS.has(element.tagName))) {
    const own = block.children.filter((child) => !isElement(child) || !PROSE_TAGS.has(child.tagName))
    const text = own.map(textOf).join(' ').trim()
    const linked = own.flatMap((child) => elementsOf(child, (element) => element.tagName === 'a')).map(textOf)
    if (text.length >= MIN_PROSE_CHARACTERS && linked.join('').length < text.length / 2) length += text.length
  }
  return length
}

/** The reader view takes the title out; a document without its title is not whole. */
function withTitle(article: Root, page: Root): Root {
  const titles = elementsOf(page, isTitle)
  const [title] = titles
  if (titles.length !== 1 || title === undefined) return article
  const text = textOf(title)
  const isThere =
    text === '' ||
    elementsOf(article, (element) => /^h[1-3]$/.test(element.tagName)).some((heading) => textOf(heading) === text)
  if (!isThere) article.children.unshift({ ...title, children: title.children })
  return article
}
