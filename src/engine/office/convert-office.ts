import { toMarkdownBytes } from '@firecrawl/anydoc'
import type { Extension } from '#src/document/formats.ts'
import type { Conversion } from '../conversion.ts'
import { asConversionError } from './office-errors.ts'

export async function convertOffice(bytes: Buffer, extension: Extension): Promise<Conversion> {
  const markdown = await toMarkdownBytes(bytes).catch((error: unknown) => {
    throw asConversionError(error, extension, bytes)
  })
  return { markdown, html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null }
}
