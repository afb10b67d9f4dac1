import { toHtml } from 'hast-util-to-html'
import type { ParseOptions } from '@sluice/contract'
import type { Conversion } from '../conversion.ts'
import { fenced } from '../markup/fenced.ts'
import { imagesOf, linksOf } from '../web/collect-urls.ts'
import { markdownToHtml } from '../web/markdown-formats.ts'
import { parseHtmlFragment } from '../web/parse-html.ts'
import { resolveUrls } from '../web/resolve-urls.ts'
import { encodingOf } from './decode-text.ts'
import type { TextKind } from './text-kind.ts'

export interface TextInput {
  readonly bytes: Uint8Array
  readonly kind: TextKind
  readonly contentType: string | null
  /** Base of relative links in `links`, `images` and `html`. */
  readonly baseUrl: string | null
}

const DATA_IMAGE = /(!\[[^\]]*\]\()data:image\/[^)\s]+(?=[)\s])/gi

/**
 * Converts a page of text. Markdown and plain text remain verbatim, JSON becomes a code block. Only Markdown has links.
 * They are absolute in `links` and `html`, and verbatim in the text.
 */
export function convertText({ bytes, kind, contentType, baseUrl }: TextInput, options: ParseOptions): Conversion {
  const text = new TextDecoder(encodingOf(bytes, contentType, false)).decode(bytes)
  if (kind !== 'markdown') {
    const markdown = kind === 'json' ? `${fenced(text.trimEnd(), 'json')}\n` : text
    const html = `<pre>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</pre>`
    return { ...NOTHING_ELSE, markdown, html, links: [], images: [], metadata: {} }
  }
  const markdown = options.removeBase64Images ? text.replace(DATA_IMAGE, '$1<Base64-Image-Removed>') : text
  const tree = parseHtmlFragment(markdownToHtml(markdown))
  resolveUrls(tree, baseUrl === null ? null : URL.parse(baseUrl))
  const title = /^#\s+(.+?)\s*#*\s*$/m.exec(markdown)?.[1]
  const metadata = title === undefined ? {} : { title }
  return { ...NOTHING_ELSE, markdown, html: toHtml(tree), links: linksOf(tree), images: imagesOf(tree), metadata }
}

const NOTHING_ELSE = { pages: null, blocks: null, warning: null } as const
