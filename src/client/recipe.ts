import { createHash } from 'node:crypto'
import {
  type Family,
  checkOptions,
  isPagedFamily,
  type ParseOptions,
  type ParseOptionsInput,
  parseOptionsSchema,
  redactionSchema,
} from '@sluice/contract'
import { type RecipeHash, recipeHash } from '#src/document/ids.ts'
import { asSet, canonicalJson, sortKeys } from './canonical-json.ts'
import { beyondDefaults } from './sent-options.ts'

/** Parse options of a document, and the hash that equal options share. */
export interface Recipe {
  /** Normalized options with their defaults. */
  readonly options: ParseOptions
  /** The canonical form: only options that change the answer. The record keeps it. */
  readonly canonical: Readonly<Record<string, unknown>>
  readonly hash: RecipeHash
  /** Recipe of the answers of a document that is routed by page; their receipts have its hash. */
  readonly answers?: Recipe
}

/** Options for identification, timeouts or retention: they do not change the answer. */
const NEUTRAL = ['timeout', 'origin', 'integration', 'auditMetadata', 'zeroDataRetention'] as const

/**
 * Builds the recipe of these options. It drops PDF options for documents without pages (`family`): turning `blocks` on must not
 * buy every Word file again.
 *
 * @throws {InvalidOptions} with every mistake, each with its path
 */
export function recipeOf(input: ParseOptionsInput, family: Family = 'pdf'): Recipe {
  checkOptions(input)
  const options = parseOptionsSchema.parse(isPagedFamily(family) ? input : { ...input, parsers: undefined })
  const canonical = canonicalOptions(options)
  const digest = createHash('sha256').update(canonicalJson(canonical)).digest('hex')
  return { options, canonical, hash: recipeHash(digest.slice(0, 16)) }
}

/**
 * Options that change the answer, in one spelling. It omits defaults, so an option that the contract gains later
 * changes no hash. It sorts keys, and deduplicates and sorts lists that mean sets.
 */
function canonicalOptions(options: ParseOptions): Readonly<Record<string, unknown>> {
  const fields = beyondDefaults(options)
  for (const name of NEUTRAL) delete fields[name]

  const formats = asSet(options.formats.map(withoutFalse))
  if (canonicalJson(formats) === '[{"type":"markdown"}]') delete fields.formats
  else fields.formats = formats
  if (fields.includeTags !== undefined) fields.includeTags = asSet(options.includeTags)
  if (fields.excludeTags !== undefined) fields.excludeTags = asSet(options.excludeTags)
  if (fields.headers !== undefined) fields.headers = headerDigests(options.headers)
  if (options.redactPII !== false) fields.redactPII = canonicalRedaction(options.redactPII)
  return sortKeys(fields) as Record<string, unknown>
}

/** A disabled check equals an absent one. */
const withoutFalse = (format: ParseOptions['formats'][number]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(format).filter(([, value]) => value !== false))

/** `true` means the object with all its defaults. */
function canonicalRedaction(redaction: Exclude<ParseOptions['redactPII'], false>): Record<string, unknown> {
  const { mode, entities, replaceStyle } = redactionSchema.parse(redaction === true ? {} : redaction)
  return { mode, entities: asSet(entities), replaceStyle }
}

/** Names and digests of headers: a value may be a secret, and records have many readers. Names are case-insensitive. */
function headerDigests(headers: Readonly<Record<string, string>>): string[] {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
  return asSet(Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: sha256 ${digest(value)}`))
}
