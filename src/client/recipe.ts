import { createHash } from 'node:crypto'
import {
  type Family,
  checkOptions,
  type ParseOptions,
  type ParseOptionsInput,
  parseOptionsSchema,
  redactionSchema,
} from '@sluice/contract'
import { type RecipeHash, recipeHash } from '#src/document/ids.ts'
import { asSet, canonicalJson, sortKeys } from './canonical-json.ts'
import { beyondDefaults } from './sent-options.ts'

/** The parse options that apply to a document, and the name of all that is equal in meaning. */
export interface Recipe {
  /** What is meant, defaults written out. */
  readonly options: ParseOptions
  /** The canonical form: only what changes the answer. Kept in the record. */
  readonly canonical: Readonly<Record<string, unknown>>
  readonly hash: RecipeHash
  /** Of a document that is routed by page: the recipe of its answers, which names their receipts. */
  readonly answers?: Recipe
}

/** Options that say who asks, how long to wait or what to keep: the answer is the same with and without them. */
const NEUTRAL = ['timeout', 'origin', 'integration', 'auditMetadata', 'zeroDataRetention'] as const

/**
 * The recipe of these options. For a document that is no PDF (`family`), what they say about PDF is left out: turning
 * `blocks` on must not buy every Word file again.
 *
 * @throws {InvalidOptions} with every mistake, each with its path
 */
export function recipeOf(input: ParseOptionsInput, family: Family = 'pdf'): Recipe {
  checkOptions(input)
  const options = parseOptionsSchema.parse(family === 'pdf' ? input : { ...input, parsers: undefined })
  const canonical = canonicalOptions(options)
  const digest = createHash('sha256').update(canonicalJson(canonical)).digest('hex')
  return { options, canonical, hash: recipeHash(digest.slice(0, 16)) }
}

/**
 * What changes the answer, spelt in one way: defaults left out (an option that the contract gains later then changes no
 * hash), keys in order, lists that mean sets without duplicates and in order.
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

/** A check that is not asked for is a check that is left out. */
const withoutFalse = (format: ParseOptions['formats'][number]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(format).filter(([, value]) => value !== false))

/** `true` means the object with all its defaults. */
function canonicalRedaction(redaction: Exclude<ParseOptions['redactPII'], false>): Record<string, unknown> {
  const { mode, entities, replaceStyle } = redactionSchema.parse(redaction === true ? {} : redaction)
  return { mode, entities: asSet(entities), replaceStyle }
}

/** Names and digests: a value may be a secret, and records are read by many. Case in a name has no meaning. */
function headerDigests(headers: Readonly<Record<string, string>>): string[] {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
  return asSet(Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: sha256 ${digest(value)}`))
}
