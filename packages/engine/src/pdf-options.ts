import { parseOptionsSchema, type ParseOptions, type PdfParserOptions } from '@sluice/contract'

const [DEFAULTS] = parseOptionsSchema.parse({}).parsers

/** Returns the request's options for PDFs. An empty `parsers` means the defaults. */
export function pdfOptionsOf(options: ParseOptions): PdfParserOptions {
  const parser = options.parsers.find(({ type }) => type === 'pdf') ?? DEFAULTS
  if (parser === undefined) throw new Error('the contract has no default for parsers')
  return parser
}
