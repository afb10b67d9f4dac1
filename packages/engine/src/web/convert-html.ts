import type { Root } from 'hast'
import { toHtml } from 'hast-util-to-html'
import type { ParseOptions } from '@sluice/contract'
import type { Conversion } from '../conversion.ts'
import { removeBase64Sources } from './base64-images.ts'
import { cleanTree } from './clean-tree.ts'
import { imagesOf, linksOf } from './collect-urls.ts'
import { decodeHtml } from './decode-html.ts'
import { openFramesets } from './framesets.ts'
import { isAdvertisement } from './furniture.ts'
import { mainContentOf } from './main-content.ts'
import { metadataOf } from './metadata.ts'
import { bodyOf, removeElements, rootOf } from './nodes.ts'
import { parseHtml } from './parse-html.ts'
import { baseUrlOf, resolveUrls } from './resolve-urls.ts'
import { excludeTags, includeTags } from './select-tags.ts'
import { writeMarkdown } from './write-markdown.ts'

export interface HtmlInput {
  readonly bytes: Uint8Array
  /** Content type header, including `charset`. Null if unknown. */
  readonly contentType: string | null
  /** URL of the page. Null for an uploaded file. */
  readonly baseUrl: string | null
}

export type HtmlOptions = Pick<
  ParseOptions,
  'onlyMainContent' | 'includeTags' | 'excludeTags' | 'removeBase64Images' | 'blockAds'
>

/**
 * Converts a page to Markdown, clean HTML, links, images and metadata (contract, "Parse options" and "Parse response").
 * It blocks, and its only limit is nesting, so run it in a process that can be killed. Throws `ConversionError` with
 * `resource_limit`.
 */
export async function convertHtml(input: HtmlInput, options: HtmlOptions): Promise<Conversion> {
  const page = parseHtml(decodeHtml(input.bytes, input.contentType).text)
  const metadata = metadataOf(page)
  const frames = openFramesets(page)
  const refused: string[] = []
  const content = contentOf(page, baseUrlOf(page, input.baseUrl), options, refused)
  const html = toHtml(content)
  const [links, images] = [linksOf(content), imagesOf(content)]
  return {
    markdown: writeMarkdown(content),
    html,
    pages: null,
    blocks: null,
    links,
    images,
    metadata,
    warning: warningOf(refused, frames),
  }
}

/**
 * Selects the content of a page by the options. With `includeTags`, the matches are the content, and no heuristic runs.
 */
function contentOf(page: Root, base: URL | null, options: HtmlOptions, refused: string[]): Root {
  resolveUrls(page, base)
  if (options.removeBase64Images) removeBase64Sources(page)
  if (options.blockAds) removeElements(page, isAdvertisement)
  excludeTags(page, options.excludeTags, refused)
  const named = includeTags(page, options.includeTags, refused)
  const content = options.onlyMainContent && named === page ? mainContentOf(page) : named
  cleanTree(content)
  return rootOf(bodyOf(content).children)
}

function warningOf(refused: readonly string[], frames: number): string | null {
  const names = refused.map((selector) => `\`${selector}\``).join(', ')
  const sentences = [
    ...(names === '' ? [] : [`These includeTags or excludeTags are not CSS selectors and were ignored: ${names}.`]),
    ...(frames === 0 ? [] : [`The page consists of ${frames} frames, whose contents are not read.`]),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}
