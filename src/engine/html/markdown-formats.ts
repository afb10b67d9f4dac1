import { toHtml } from 'hast-util-to-html'
import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'
import type { Root as HastRoot } from 'hast'
import { imagesOf, linksOf } from './collect-urls.ts'
import { rootOf } from './nodes.ts'
import { parseHtmlFragment } from './parse-html.ts'

/** The formats `html`, `links` and `images` of a document that has only Markdown. */
export interface MarkdownFormats {
  readonly html: string
  readonly links: string[]
  readonly images: string[]
}

/** HTML, links and images of Markdown in one reading. HTML inside the Markdown (tables with spans) is kept as elements. */
export function formatsOfMarkdown(markdown: string): MarkdownFormats {
  const tree = treeOf(markdown)
  return { html: toHtml(tree), links: linksOf(tree), images: imagesOf(tree) }
}

export function markdownToHtml(markdown: string): string {
  return toHtml(treeOf(markdown))
}

export function linksOfMarkdown(markdown: string): string[] {
  return linksOf(treeOf(markdown))
}

export function imagesOfMarkdown(markdown: string): string[] {
  return imagesOf(treeOf(markdown))
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
