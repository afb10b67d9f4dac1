import { toHtml } from 'hast-util-to-html'
import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'
import type { Root as HastRoot } from 'hast'
import { rootOf } from './nodes.ts'
import { removeScripts } from './remove-scripts.ts'
import { parseHtmlFragment } from './parse-html.ts'

/**
 * Renders Markdown as HTML for a document without its own. HTML inside the Markdown (tables with spans) remains,
 * without scripts.
 */
export function markdownToHtml(markdown: string): string {
  const tree = treeOf(markdown)
  removeScripts(tree)
  return toHtml(tree)
}

function treeOf(markdown: string): HastRoot {
  const mdast: Root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  const tree = toHast(mdast, { allowDangerousHtml: true })
  if (holdsHtml(mdast)) return parseHtmlFragment(toHtml(tree, { allowDangerousHtml: true }))
  return tree.type === 'root' ? tree : rootOf([tree])
}

function holdsHtml(tree: Nodes): boolean {
  let found = false
  visit(tree, 'html', () => {
    found = true
  })
  return found
}
