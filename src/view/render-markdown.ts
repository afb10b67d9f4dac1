import type { ElementContent, Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { defaultSchema, sanitize, type Schema } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { parseFragment } from 'parse5'
import { visit } from 'unist-util-visit'
import { withCodes } from '#src/kit/concealed.ts'
import type { Span } from './citation.ts'
import { escapeText } from './content.ts'
import { markCited } from './mark-cited.ts'

/**
 * Allowed elements in a document's content: text and its structure. Excludes elements that load resources, link out, or
 * interact with our page.
 */
const SCHEMA: Schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['img', 'picture', 'source', 'input'].includes(name)),
  attributes: {
    '*': ['dataStart', 'dataEnd', 'colSpan', 'rowSpan', 'align', 'dir', 'lang', 'start'],
  },
  protocols: {},
  strip: ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'title', 'head'],
  clobberPrefix: 'document-',
}

/** Elements that carry their position in the Markdown, so that blocks can be found in them. */
const POSITIONED = new Set(['paragraph', 'heading', 'tableCell', 'listItem', 'code', 'html', 'blockquote', 'table'])

/**
 * Renders Markdown of a document to sanitised HTML. `data-start` and `data-end` of each element hold its range in the
 * Markdown, in UTF-16 units. Cited text is in `<mark>`.
 */
export function renderMarkdown(markdown: string, cited: readonly Span[] = []): string {
  try {
    const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
    visit(tree, (node) => {
      if (!POSITIONED.has(node.type) || node.position === undefined) return
      const { start, end } = node.position
      node.data = { ...node.data, hProperties: { dataStart: start.offset, dataEnd: end.offset } } as typeof node.data
    })
    // Pictures of a document would load foreign resources: their description replaces them.
    const named = (text: string): ElementContent => ({
      type: 'text',
      value: text === '' ? '[image]' : `[image: ${text}]`,
    })
    const hast = toHast(tree, {
      handlers: {
        html: (_, node: { value: string; data?: { hProperties?: object } }) =>
          fragment(node.value, node.data?.hProperties),
        image: (_, node: { alt?: string | null }) => named(node.alt ?? ''),
        imageReference: (_, node: { alt?: string | null }) => named(node.alt ?? ''),
      },
    })
    const clean = sanitize(hast, SCHEMA) as Root
    markCited(clean, cited)
    return withCodes(toHtml(clean))
  } catch (error) {
    // A tree of thousands of levels.
    if (error instanceof RangeError) return asText(markdown)
    throw error
  }
}

/** HTML in the Markdown, such as tables with spans. */
function fragment(html: string, properties: object = {}): ElementContent[] {
  const root = fromParse5(parseFragment(html)) as Root
  // A document must not choose its own display.
  visit(root, 'element', (element) => {
    delete element.properties['dataStart']
    delete element.properties['dataEnd']
  })
  return [
    { type: 'element', tagName: 'div', properties: { ...properties }, children: root.children as ElementContent[] },
  ]
}

/** Sanitises an HTML document: its content without style, scripts and pictures. */
export function renderHtml(html: string): string {
  try {
    return withCodes(toHtml(sanitize(fromParse5(parseFragment(html)), SCHEMA)))
  } catch (error) {
    if (error instanceof RangeError) return asText(html)
    throw error
  }
}

const asText = (text: string): string => withCodes(`<pre>${escapeText(text)}</pre>`)
