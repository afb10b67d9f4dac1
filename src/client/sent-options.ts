import { isDeepStrictEqual } from 'node:util'
import { type ParseOptions, parseOptionsSchema, type PdfParserOptions } from '@sluice/contract'

let known: ParseOptions | null = null

/** The contract's defaults, at the first call: a schema compiles itself when it first parses, which takes milliseconds. */
const contractDefaults = (): ParseOptions => (known ??= parseOptionsSchema.parse({}))

/** Fields that differ from the contract's defaults. */
export function beyondDefaults(options: ParseOptions): Record<string, unknown> {
  const kept = differing({ ...options }, { ...contractDefaults() })
  if (kept.parsers !== undefined) kept.parsers = options.parsers.map(pdfBeyondDefaults)
  return kept
}

/**
 * The `options` part of a request: only differences from the contract's defaults. A service without the newest options
 * therefore accepts every request that does not need them.
 */
export const sentOptions = (options: ParseOptions): Record<string, unknown> => beyondDefaults(options)

function pdfBeyondDefaults(parser: PdfParserOptions): Record<string, unknown> {
  return { type: parser.type, ...differing({ ...parser }, { ...contractDefaults().parsers[0] }) }
}

function differing(
  fields: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value !== undefined && !isDeepStrictEqual(value, defaults[key])),
  )
}
