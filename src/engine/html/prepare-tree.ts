import type { Element, Root, Text } from 'hast'
import { SKIP, visit } from 'unist-util-visit'
import { attribute, elementsOf, removeElements, textOf } from './nodes.ts'

/** Marks that links to the heading itself show: `#`, `¶`, `§`, a chain. */
const PERMALINK = /^[#¶§🔗]?$/u
/** Line numbers beside listings, by the names of Pygments, Rouge, SyntaxHighlighter and highlight.js plugins. */
const LINE_NUMBERS = new Set([
  'gutter',
  'linenos',
  'lineno',
  'rouge-gutter',
  'hljs-ln-numbers',
  'line-numbers-rows',
  'blob-num',
])

/** Makes a tree ready to be written as Markdown: text without invisible characters, no permalinks, no line numbers. */
export function prepareTree(tree: Root): void {
  removeElements(tree, isLineNumber)
  for (const heading of elementsOf(tree, (element) => /^h[1-6]$/.test(element.tagName)))
    removeElements(heading, isPermalink)
  visit(tree, (node) => {
    if (node.type === 'element' && node.tagName === 'pre') return SKIP
    if (node.type === 'text') cleanText(node)
    return undefined
  })
}

/** Soft hyphens and zero-width characters are for line breaking; a no-break space is a space to a reader. */
function cleanText(text: Text): void {
  text.value = text.value.replace(/[\u00ad\u200b\u2060\ufeff]/g, '').replace(/\u00a0/g, ' ')
}

function isPermalink(element: Element): boolean {
  return element.tagName === 'a' && (attribute(element, 'href') ?? '#').includes('#') && PERMALINK.test(textOf(element))
}

function isLineNumber(element: Element): boolean {
  const names = element.properties.className
  return Array.isArray(names) && names.some((name) => LINE_NUMBERS.has(name))
}
