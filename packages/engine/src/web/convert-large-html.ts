import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Parser } from 'htmlparser2'
import type { ParseOptions } from '@sluice/contract'
import { GarbagePacer } from '../collect-garbage.ts'
import { type Conversion, ConversionError } from '../conversion.ts'
import { encodingOf } from './decode-html.ts'
import { LargePageWriter } from './large-page-writer.ts'

const SAMPLE_BYTES = 1024 ** 2
const LESS_THAN = '<'.charCodeAt(0)

export interface LargeHtmlInput {
  readonly path: string
  readonly contentType: string | null
  readonly baseUrl: string | null
}

/** Streams the page as text. Memory never holds its complete bytes or text. */
async function* textOf({ path, contentType }: LargeHtmlInput): AsyncGenerator<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
  const sample = buffer.subarray(0, bytesRead)
  const decoder = new TextDecoder(encodingOf(sample.subarray(0, sample.lastIndexOf(LESS_THAN) + 1), contentType))
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    yield decoder.decode(chunk as Buffer, { stream: true })
  }
  yield decoder.decode()
}

/**
 * Converts a page of many megabytes (exports, logs, data tables) to Markdown in one pass, without a tree. It supports
 * headings, paragraphs, lists, tables, links, emphasis and code blocks. It detects the main content by element names
 * alone. `includeTags`, `excludeTags` and clean HTML need the tree, so a request for them gets a warning.
 */
export async function convertLargeHtml(
  input: LargeHtmlInput,
  options: Pick<ParseOptions, 'onlyMainContent' | 'includeTags' | 'excludeTags' | 'formats'>,
): Promise<Conversion> {
  const writer = new LargePageWriter(input.baseUrl, options.onlyMainContent)
  const garbage = new GarbagePacer()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      ontext: (piece) => writer.text(piece),
      onclosetag: (name) => writer.close(name),
    },
    { decodeEntities: true },
  )
  for await (const text of textOf(input)) {
    parser.write(text)
    garbage.countCharacters(text.length)
    if (writer.depth > MAX_DEPTH)
      throw new ConversionError('resource_limit', `The page nests elements more than ${MAX_DEPTH} levels deep.`)
  }
  parser.end()
  const { markdown, links, images, title } = writer.finish()
  return {
    markdown,
    html: null,
    pages: null,
    blocks: null,
    links,
    images,
    metadata: title === '' ? {} : { title },
    warning: warningOf(options),
  }
}

/** Same limit as for a page that is parsed as a tree. */
const MAX_DEPTH = 5_000

function warningOf(options: Pick<ParseOptions, 'includeTags' | 'excludeTags' | 'formats'>): string | null {
  const isFiltered = (options.includeTags ?? []).length + (options.excludeTags ?? []).length > 0
  const wantsHtml = options.formats.some(({ type }) => type === 'html')
  const parts = [
    ...(isFiltered ? ['includeTags and excludeTags were not applied'] : []),
    ...(wantsHtml ? ['html is rendered from the Markdown'] : []),
  ]
  return parts.length === 0 ? null : `The page is too large for a DOM tree: ${parts.join(', ')}.`
}
