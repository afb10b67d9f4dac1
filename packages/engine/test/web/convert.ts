import { parseOptionsSchema, type ParseOptionsInput } from '@sluice/contract'
import type { Conversion } from '../../src/conversion.ts'
import { convertHtml } from '../../src/web/convert-html.ts'

/** A page through the converter, with the contract's defaults for every option that is not given. */
export function convert(
  page: string | Uint8Array,
  options: ParseOptionsInput = {},
  baseUrl: string | null = null,
): Promise<Conversion> {
  const bytes = typeof page === 'string' ? new TextEncoder().encode(page) : page
  return convertHtml({ bytes, contentType: 'text/html', baseUrl }, parseOptionsSchema.parse(options))
}

export async function markdownOf(page: string, options: ParseOptionsInput = {}): Promise<string> {
  return (await convert(page, options)).markdown
}
