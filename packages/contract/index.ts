export { type Anchor, anchorOf, anchorOfLines } from './src/anchor.ts'
export {
  checkOptions,
  InvalidOptions,
  type OptionIssue,
  optionIssues,
  optionProblems,
  zodIssues,
  zodProblems,
} from './src/check-options.ts'
export {
  type AnchoredBlock,
  type Extensions,
  EXTENSIONS_HEADER,
  extensionsFrom,
  extensionsOf,
} from './src/extensions.ts'
export {
  type Extension,
  extensionOf,
  extensionOfMediaType,
  EXTENSIONS,
  type Family,
  formatOf,
  FORMATS,
  isPaged,
  isPagedFamily,
  MAX_FILE_BYTES,
  type TextExtension,
  textExtensionOf,
} from './src/formats.ts'
export { type DocumentGrade, type PageGrade, rounded } from './src/grade.ts'
export { jsonSchemaProblem } from './src/json-schema.ts'
export {
  FORMAT_TYPES,
  MAX_TIMEOUT_MS,
  type ParseOptions,
  type ParseOptionsInput,
  parseOptionsSchema,
  PDF_MODES,
  type PdfParserOptions,
  PII_ENTITIES,
  type RedactionOptions,
  redactionSchema,
} from './src/options.ts'
export { isCreditAmount, isPageCount, isRequestMs, numberIn } from './src/plausible.ts'
export { creditsFor, DEFAULT_PRICES, FREE, type PriceModel } from './src/price.ts'
export type { Block, BlockPage, BlockType, ParsedData, ParsedMetadata, ParsedPage } from './src/response.ts'
export { CALLED_SIGNATURES, contradiction, signatureOf, SNIFF_BYTES } from './src/sniff.ts'
export { fieldsOf, tolerantData } from './src/tolerant-data.ts'
