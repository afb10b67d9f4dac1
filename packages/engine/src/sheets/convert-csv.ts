import { formatFromExtension, toMarkdownBytes } from '@firecrawl/anydoc'
import type { Conversion } from '../conversion.ts'
import { csvMarks } from './table-marks.ts'
import { CsvRows, separatorOf, withoutSeparatorLine } from './csv-fields.ts'
import { decodeText } from '../text/decode-text.ts'
import { asConversionError } from '../office/office-errors.ts'

/** Converts a table to commas if its first line names another separator. The library's parser would guess it. */
function withoutNamedSeparator(text: string): string {
  const table = withoutSeparatorLine(text)
  if (table === text) return text
  const rows = new CsvRows(separatorOf(text))
  return [...rows.read(table), ...rows.end()]
    .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(','))
    .join('\n')
}

/** Converts a table of comma, semicolon or tab separated values in any encoding. */
export async function convertCsv(bytes: Buffer, contentType: string | null): Promise<Conversion> {
  const text = withoutNamedSeparator(decodeText(bytes, contentType))
  const markdown = await toMarkdownBytes(Buffer.from(text), formatFromExtension('csv')).catch((error: unknown) => {
    throw asConversionError(error, 'csv', bytes)
  })
  const marks = csvMarks(markdown)
  return { markdown, html: null, pages: null, blocks: null, links: [], images: [], metadata: {}, warning: null, marks }
}
