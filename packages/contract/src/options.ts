import { z } from 'zod'

/** Limits of the request (contract, "Limits"). */
const DEFAULT_TIMEOUT_MS = 30_000
export const MAX_TIMEOUT_MS = 300_000
const MAX_PAGES = 10_000
const MAX_USERNAME_CHARACTERS = 1024

export const FORMAT_TYPES = ['markdown', 'summary', 'html', 'rawHtml', 'links', 'images', 'json'] as const
export type FormatType = (typeof FORMAT_TYPES)[number]

export const PDF_MODES = ['fast', 'auto', 'ocr'] as const
export const PII_ENTITIES = ['PERSON', 'EMAIL', 'PHONE', 'LOCATION', 'FINANCIAL', 'SECRET'] as const

const plainFormat = z.strictObject({ type: z.enum(['markdown', 'summary', 'html', 'rawHtml', 'links', 'images']) })
const jsonFormat = z.strictObject({
  type: z.literal('json'),
  schema: z.record(z.string(), z.unknown()).optional(),
  prompt: z.string().optional(),
  /** The service answers 403 `SCRAPE_PROMPT_INJECTION_DETECTED` if the document tries to instruct the model. */
  checkPromptInjection: z.boolean().optional(),
})

/** Clients send `"markdown"` as a shorthand for `{type: "markdown"}` (docs/reference/contract.md, "Options"). */
const format = z.preprocess(
  (value: FormatType | z.input<typeof plainFormat> | z.input<typeof jsonFormat>) =>
    typeof value === 'string' ? { type: value } : value,
  z.discriminatedUnion('type', [plainFormat, jsonFormat]),
)

const pdfParser = z.strictObject({
  type: z.literal('pdf'),
  mode: z.enum(PDF_MODES).default('auto'),
  maxPages: z.int().min(1).max(MAX_PAGES).optional(),
  pages: z.boolean().default(false),
  blocks: z.boolean().default(false),
  pageMarkers: z.boolean().default(false),
})

const imageParser = z.strictObject({ type: z.literal('image') })

const parser = z.preprocess(
  (value: 'pdf' | 'image' | z.input<typeof pdfParser> | z.input<typeof imageParser>) =>
    typeof value === 'string' ? { type: value } : value,
  z.discriminatedUnion('type', [pdfParser, imageParser]),
)

/** Services parse images by default, and `image` has no options: an entry of this type changes nothing. */
const parserList = z.array(parser).transform((list) => list.flatMap((entry) => (entry.type === 'pdf' ? [entry] : [])))

export const redactionSchema = z.strictObject({
  mode: z.enum(['accurate', 'aggressive', 'fast']).default('accurate'),
  entities: z.array(z.enum(PII_ENTITIES)).default([...PII_ENTITIES]),
  replaceStyle: z.enum(['tag', 'mask', 'remove']).default('tag'),
})

/** Parse options of the contract ("Parse options"). Refuses unknown keys and fills in defaults. */
export const parseOptionsSchema = z.strictObject({
  formats: z.array(format).default([{ type: 'markdown' }]),
  onlyMainContent: z.boolean().default(true),
  includeTags: z.array(z.string()).default([]),
  excludeTags: z.array(z.string()).default([]),
  headers: z.record(z.string(), z.string()).default({}),
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  parsers: parserList.default([pdfParser.parse({ type: 'pdf' })]),
  skipTlsVerification: z.boolean().default(true),
  removeBase64Images: z.boolean().default(true),
  blockAds: z.boolean().default(true),
  redactPII: z.union([z.boolean(), redactionSchema]).default(false),
  proxy: z.enum(['basic', 'auto']).optional(),
  origin: z.string().default('api'),
  integration: z.string().nullable().optional(),
  auditMetadata: z.strictObject({ username: z.string().max(MAX_USERNAME_CHARACTERS) }).optional(),
  zeroDataRetention: z.boolean().default(false),
})

/** Options of a user or a client: every field is optional. */
export type ParseOptionsInput = z.input<typeof parseOptionsSchema>
/** Normalized options: every default filled in, formats and parsers as objects. */
export type ParseOptions = z.output<typeof parseOptionsSchema>
export type PdfParserOptions = z.output<typeof pdfParser>
export type RedactionOptions = z.output<typeof redactionSchema>
