import { fromParse5 } from 'hast-util-from-parse5'
import type { ElementContent, Root } from 'hast'
import { defaultTreeAdapter, parse, parseFragment } from 'parse5'
import type { DefaultTreeAdapterTypes } from 'parse5'
import { ConversionError } from '../conversion.ts'
import { attribute, elementsOf, textOf } from './nodes.ts'

/** Maximum depth. Deeper elements become siblings, as in browsers. Code after the parser recurses at most this deep. */
const MAX_DEPTH = 512
/**
 * Maximum number of open elements. The parser's cost grows with the square of the depth, and a page of 300,000 open
 * elements is an attack.
 */
const MAX_OPEN_ELEMENTS = 5_000

const VOID_ELEMENTS = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/**
 * Parses a page into a tree, by the rules of browsers. Flattens nesting below 512 levels. Throws `ConversionError`
 * (`resource_limit`) for nesting that no real page has.
 */
export function parseHtml(text: string): Root {
  const document = parse(isXhtml(text) ? openSelfClosed(text) : text, parserOptions())
  flatten(document)
  const tree = fromParse5(document) as Root
  readNoscript(tree)
  readShadows(tree)
  return tree
}

/**
 * Parses the content of `noscript`, which is text to the parser, as in a browser. Some pages have unbalanced elements
 * there, which would swallow the rest of the page. A separate parse is safe, and its pictures can replace lazy ones.
 */
function readNoscript(tree: Root): void {
  for (const element of elementsOf(tree, ({ tagName }) => tagName === 'noscript'))
    element.children = parseHtmlFragment(textOf(element)).children as ElementContent[]
}

/**
 * Turns a shadow template into a `div` at its position, because a browser shows its content.
 */
function readShadows(tree: Root): void {
  for (const element of elementsOf(tree, ({ tagName }) => tagName === 'template')) {
    if (attribute(element, 'shadowRootMode') === null || element.content === undefined) continue
    readShadows(element.content)
    element.tagName = 'div'
    element.children = element.content.children as ElementContent[]
  }
}

/** Parses a fragment of a page like `parseHtml`. */
export function parseHtmlFragment(text: string): Root {
  const fragment = parseFragment(text, parserOptions())
  flatten(fragment)
  return fromParse5(fragment) as Root
}

function parserOptions() {
  let open = 0
  const treeAdapter = {
    ...defaultTreeAdapter,
    onItemPush(): void {
      open += 1
      if (open > MAX_OPEN_ELEMENTS)
        throw new ConversionError(
          'resource_limit',
          `The page nests elements more than ${MAX_OPEN_ELEMENTS} levels deep.`,
        )
    },
    onItemPop(): void {
      open -= 1
    },
  }
  return { scriptingEnabled: true, treeAdapter }
}

/** Hoists nodes deeper than MAX_DEPTH to that level. Uses an explicit stack, because it guards against recursion. */
function flatten(root: DefaultTreeAdapterTypes.ParentNode): void {
  const open: [DefaultTreeAdapterTypes.ParentNode, number][] = [[root, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [parent, depth] = next
    if (depth >= MAX_DEPTH) parent.childNodes = leavesOf(parent)
    else
      for (const child of parent.childNodes) {
        if ('childNodes' in child) open.push([child, depth + 1])
        if ('content' in child) open.push([child.content, depth + 1])
      }
  }
}

function leavesOf(parent: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.ChildNode[] {
  const leaves: DefaultTreeAdapterTypes.ChildNode[] = []
  const open = [...parent.childNodes].reverse()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const inside = childrenOf(node)
    if (inside.length > 0) open.push(...[...inside].reverse())
    else if (!('content' in node)) leaves.push(node)
  }
  return leaves
}

/** Returns the children of a node. A template has some only if it is a shadow. */
function childrenOf(node: DefaultTreeAdapterTypes.ChildNode): readonly DefaultTreeAdapterTypes.ChildNode[] {
  if (!('content' in node)) return 'childNodes' in node ? node.childNodes : []
  return node.attrs.some(({ name }) => name === 'shadowrootmode') ? node.content.childNodes : []
}

function isXhtml(text: string): boolean {
  const head = text.slice(0, 1024)
  return /^\s*<\?xml\b/.test(head) || /<html\b[^>]*\bxmlns\s*=/i.test(head)
}

/**
 * In XHTML `<div/>` is a complete element. An HTML parser reads it as a start tag, which would swallow the following
 * content.
 */
function openSelfClosed(text: string): string {
  return text.replace(
    /<([a-z][\w:-]*)((?:\s+[^\s=<>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/gi,
    (whole, name: string, rest: string) => (VOID_ELEMENTS.test(name) ? whole : `<${name}${rest}></${name}>`),
  )
}
