import { isDeepStrictEqual } from 'node:util'
import { type ParseOptions, parseOptionsSchema, type PdfParserOptions } from '@sluice/contract'

const DEFAULTS: Readonly<Record<string, unknown>> = parseOptionsSchema.parse({})
const PDF_DEFAULTS: Readonly<Record<string, unknown>> = parseOptionsSchema.parse({}).parsers[0] ?? {}

/** Fields that differ from the contract's defaults. */
export function beyondDefaults(options: ParseOptions): Record<string, unknown> {
  const kept = differing({ ...options }, DEFAULTS)
  if (kept.parsers !== undefined) kept.parsers = options.parsers.map(pdfBeyondDefaults)
  return kept
}

/**
 * The `options` part of a request: only differences from the contract's defaults. A service without the newest options
 * therefore accepts every request that does not need them.
 */
export const sentOptions = (options: ParseOptions): Record<string, unknown> => beyondDefaults(options)

function pdfBeyondDefaults(parser: PdfParserOptions): Record<string, unknown> {
  return { type: parser.type, ...differing({ ...parser }, PDF_DEFAULTS) }
}

function differing(
  fields: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[key])),
  )
}
