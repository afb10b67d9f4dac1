import type { Element, Root } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { visit } from 'unist-util-visit'
import { parseHtmlFragment } from '../web/parse-html.ts'

/** Attributes with text or addresses for a reader. */
const TEXT_ATTRIBUTES = ['alt', 'title', 'ariaLabel', 'value', 'placeholder', 'content'] as const
const ADDRESS_ATTRIBUTES = ['href', 'src', 'cite'] as const

/** Redacts the texts of HTML, attributes included. A link to a person's address or number loses its target. */
export function redactHtml(html: string, plain: (text: string) => string): string {
  const tree: Root = parseHtmlFragment(html)
  visit(tree, (node) => {
    if (node.type === 'text') node.value = plain(node.value)
    if (node.type === 'element') redactAttributes(node, plain)
  })
  return toHtml(tree)
}

function redactAttributes({ properties }: Element, plain: (text: string) => string): void {
  for (const name of TEXT_ATTRIBUTES) {
    const value = properties[name]
    if (typeof value === 'string') properties[name] = plain(value)
  }
  for (const name of ADDRESS_ATTRIBUTES) {
    const value = properties[name]
    if (typeof value === 'string' && (/^tel:/i.test(value) || plain(value) !== value)) delete properties[name]
  }
}
