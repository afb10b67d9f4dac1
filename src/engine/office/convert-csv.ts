import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import type { Conversion } from '../conversion.ts'
import { asConversionError } from './office-errors.ts'

export async function convertCsv(bytes: Buffer, _contentType: string | null): Promise<Conversion> {
  const markdown = await toMarkdownBytes(bytes, formatFromExtension('csv')).catch((error: unknown) => {
    throw asConversionError(error, 'csv', bytes)
  })
  return { markdown, html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null }
}
