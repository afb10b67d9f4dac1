import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import type { Conversion } from '../conversion.ts'
import { csvMarks } from './table-marks.ts'
import { decodeText } from './decode-text.ts'
import { asConversionError } from './office-errors.ts'

/** A table of comma, semicolon or tab separated values, in whatever encoding. */
export async function convertCsv(bytes: Buffer, contentType: string | null): Promise<Conversion> {
  const text = decodeText(bytes, contentType)
  const markdown = await toMarkdownBytes(Buffer.from(text), formatFromExtension('csv')).catch((error: unknown) => {
    throw asConversionError(error, 'csv', bytes)
  })
  const marks = csvMarks(markdown)
  return { markdown, html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null, marks }
}
