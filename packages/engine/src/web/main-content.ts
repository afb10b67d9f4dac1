import type { Element, Parents, Root } from 'hast'
import { Readability } from '@mozilla/readability'
import { toHtml } from 'hast-util-to-html'
import { parseHTML } from 'linkedom'
import { cleanTree } from './clean-tree.ts'
import { isInvisible, isLandmark, isNamedFurniture } from './furniture.ts'
import { attribute, bodyOf, elementsOf, firstElement, removeElements, rootOf, textOf } from './nodes.ts'
import { isIn, proseLengthOf, proseRunsOf } from './prose.ts'
import { trimArticle } from './trim-article.ts'
import { trimFurniture } from './trim-furniture.ts'
import { parseHtmlFragment } from './parse-html.ts'

/** Threshold in characters. A shorter article is a remnant, not the content of a page. */
const MIN_ARTICLE_CHARACTERS = 200
/** Threshold: fraction of the running text around it. Content below it is incomplete. */
const MIN_PROSE_SHARE = 0.5
/**
 * Threshold in characters of running text. A `main` element above it is the content, with any amount of text around it
 * (mostly comments).
 */
const MIN_MAIN_CHARACTERS = 500
/** Thresholds for a lead: number and length of text runs between the title and the article. */
const MAX_LEAD_RUNS = 2
const MAX_LEAD_CHARACTERS = 600

/**
 * Returns the main content of a page (`onlyMainContent`). A page without furniture remains complete. Otherwise
 * Firefox's reader view decides, unless it finds no article or misses half of the running text. It does so for
 * reference pages and forums. The fallback is the page's own main part, or its body, without furniture. Never empty
 * unless the page is.
 */
export function mainContentOf(page: Root): Root {
  const clean = structuredClone(page)
  cleanTree(clean)
  if (firstElement(clean, isFurniture) === null) return clean
  const part = structurePart(clean)
  const article = articleOf(page)
  if (article !== null && isGoodArticle(article, part)) return completed(article, part, page)
  return textOf(part) === '' ? page : part
}

function isGoodArticle(article: Root, part: Root): boolean {
  const text = textOf(article)
  if (text.length < MIN_ARTICLE_CHARACTERS) return false
  const runs = proseRunsOf(part)
  const length = (some: typeof runs): number => some.reduce((sum, run) => sum + run.text.length, 0)
  return length(runs.filter(isIn(text))) >= MIN_PROSE_SHARE * length(runs)
}

/** Returns the part that the page marks as main, or its body, without furniture. */
function structurePart(tree: Root): Root {
  const part = rootOf(markedPart(bodyOf(tree)).children)
  removeElements(part, (element) => isInvisible(element) || isOuterFrame(element))
  trimFurniture(part)
  return part
}

/** Returns the `main` element, else the `article` with most running text, else the body. */
function markedPart(body: Parents): Parents {
  const length = proseLengthOf(body)
  const main = longest(elementsOf(body, isMain), Math.min(MIN_MAIN_CHARACTERS, MIN_PROSE_SHARE * length))
  const articles = elementsOf(main ?? body, (element) => element.tagName === 'article')
  return main ?? longest(articles, MIN_PROSE_SHARE * length) ?? body
}

function longest(elements: readonly Element[], least: number): Element | null {
  const lengths = elements.map(proseLengthOf)
  const most = Math.max(...lengths)
  return most >= least ? (elements[lengths.indexOf(most)] ?? null) : null
}

function isMain(element: Element): boolean {
  return element.tagName === 'main' || attribute(element, 'role') === 'main'
}

function isFurniture(element: Element): boolean {
  return (
    element.tagName === 'header' || element.tagName === 'footer' || isLandmark(element) || isNamedFurniture(element)
  )
}

/** True for a page's header or footer. The header of an article contains its title, and does not count. */
function isOuterFrame(element: Element): boolean {
  if (element.tagName === 'footer') return true
  return element.tagName === 'header' && firstElement(element, isTitle) === null
}

function isTitle(element: Element): boolean {
  return element.tagName === 'h1'
}

/** Restores title and lead, which the reader view removes from the article. */
function completed(article: Root, part: Root, page: Root): Root {
  cleanTree(article)
  trimFurniture(article, page)
  trimArticle(article)
  return rootOf([...titleOf(article, page), ...leadOf(article, part, page), ...article.children])
}

function titleOf(article: Root, page: Root): Element[] {
  const [title, ...others] = elementsOf(bodyOf(page), isTitle)
  if (title === undefined || others.length > 0 || textOf(title) === '') return []
  const headings = elementsOf(article, (element) => /^h[1-3]$/.test(element.tagName))
  return headings.some((heading) => textOf(heading) === textOf(title)) ? [] : [title]
}

/**
 * Returns the running text in the page's main part before the article starts. Excludes a long title. A long text is not
 * a lead but a separate text.
 */
function leadOf(article: Root, part: Root, page: Root): Element[] {
  const titles = new Set(elementsOf(bodyOf(page), isTitle).map(textOf))
  const runs = proseRunsOf(part).filter(({ text }) => !titles.has(text))
  const start = runs.findIndex(isIn(textOf(article)))
  const lead = runs.slice(0, Math.max(start, 0))
  const isLead = lead.length <= MAX_LEAD_RUNS && lead.every(({ text }) => text.length <= MAX_LEAD_CHARACTERS)
  if (!isLead) return []
  return lead.map(({ text }) => ({
    type: 'element',
    tagName: 'p',
    properties: {},
    children: [{ type: 'text', value: text }],
  }))
}

/** Threshold: number of elements. Readability walks the page several times, and takes too long above it. */
const MAX_ELEMENTS = 100_000

/**
 * Returns the article of a page by the rules of Firefox's reader view, or null. The page is serialized and parsed again
 * by linkedom. Its HTML parser deviates from the standard, so it gets markup that parse5 has normalized.
 */
function articleOf(page: Root): Root | null {
  const { document } = parseHTML(toHtml(page))
  try {
    const article = new Readability(document, { keepClasses: true, maxElemsToParse: MAX_ELEMENTS }).parse()
    return article?.content ? parseHtmlFragment(article.content) : null
  } catch (error) {
    if (error instanceof Error && /too many elements|Aborting parsing/i.test(error.message)) return null
    throw error
  }
}
