import type { Element, Nodes, Parents, Root, Text } from 'hast'
import { attribute, elementsOf, isElement, removeElements, textOf } from './nodes.ts'

/** Symbols of permalinks to a heading: `#`, `¶`, `§`, a chain. */
const PERMALINK = /^[#¶§🔗]?$/u
/**
 * Class names of line numbers next to code blocks, from Pygments, Rouge, SyntaxHighlighter and highlight.js plugins.
 */
const LINE_NUMBERS = new Set([
  'gutter',
  'linenos',
  'lineno',
  'rouge-gutter',
  'hljs-ln-numbers',
  'line-numbers-rows',
  'blob-num',
])

const MARKS = new Set([
  'b',
  'strong',
  'i',
  'em',
  'del',
  's',
  'u',
  'small',
  'font',
  'span',
  'label',
  'code',
  'sub',
  'sup',
])
const BLOCKS = new Set(
  'address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li listing main nav ol p plaintext pre section table ul xmp'.split(
    ' ',
  ),
)

/** Prepares a tree for Markdown. Removes invisible characters, permalinks and line numbers. */
export function prepareTree(tree: Root): void {
  unwrapMarks(tree)
  removeElements(tree, isLineNumber)
  for (const heading of elementsOf(tree, (element) => /^h[1-6]$/.test(element.tagName)))
    removeElements(heading, isPermalink)
  cleanTexts(tree)
}

function cleanTexts(node: Nodes): void {
  if (node.type === 'text') cleanText(node)
  if ('children' in node && !isElement(node, 'pre')) for (const child of node.children) cleanTexts(child)
}

/** Unwraps `<b><p>…</p></b>`, because Markdown's marks cannot contain blocks. True if a block was inside. */
function unwrapMarks(parent: Parents): boolean {
  let holdsBlock = false
  const children: Nodes[] = []
  for (const child of parent.children) {
    const holds = child.type === 'element' && unwrapMarks(child)
    if (child.type === 'element' && (holds || BLOCKS.has(child.tagName))) holdsBlock = true
    if (child.type === 'element' && holds && MARKS.has(child.tagName)) children.push(...child.children)
    else children.push(child)
  }
  parent.children = children as typeof parent.children
  return holdsBlock
}

/**
 * Removes soft hyphens and zero-width characters, which only affect line breaks. Replaces no-break spaces with spaces.
 */
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
