import { toHtml } from 'hast-util-to-html'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'

const ADDRESSES = /^(?:href|src|action|formaction|data|poster|cite|background|xlink:href|srcset|content)$/

/** What a viewer shows that believes all HTML in Markdown. */
export function shownBy(markdown: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return toHtml(toHast(tree, { allowDangerousHtml: true }), { allowDangerousHtml: true })
}

/** The first thing in HTML that runs a script when a browser shows it or it is clicked; null where nothing does. */
export function scriptIn(html: string): string | null {
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('attrs' in node) {
      const names = node.attrs.filter(({ name, value }) => runs(name, value)).map(({ name }) => name)
      if (node.tagName === 'script' || names.length > 0) return `${node.tagName} ${names.join(' ')}`
    }
    if ('childNodes' in node) open.push(...node.childNodes)
    if ('content' in node) open.push(node.content)
  }
  return null
}

function runs(name: string, value: string): boolean {
  if (/^on|^srcdoc$/.test(name)) return true
  if (!ADDRESSES.test(name)) return false
  const url = URL.parse(value.replace(/^.*;\s*url=/i, ''), 'https://page/')
  return url !== null && (/^(?:javascript|vbscript):/.test(url.protocol) || /^data:text\/html/i.test(url.href))
}
