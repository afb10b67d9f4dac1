import { parseOptionsSchema, type ParseOptions, type PdfParserOptions } from '@sluice/contract'

const [DEFAULTS] = parseOptionsSchema.parse({}).parsers

/** What the request says of PDFs; an empty `parsers` says nothing. */
export function pdfOptionsOf(options: ParseOptions): PdfParserOptions {
  const parser = options.parsers.find(({ type }) => type === 'pdf') ?? DEFAULTS
  if (parser === undefined) throw new Error('the contract has no default for parsers')
  return parser
}
