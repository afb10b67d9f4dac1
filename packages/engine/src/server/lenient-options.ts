import { parseOptionsSchema } from '@sluice/contract'
import { ApiError, badRequest } from '../api-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Options without unsupported additions of clients, and the names of the ignored fields. */
export interface LenientOptions {
  readonly options: Fields
  readonly ignored: readonly string[]
}

/** Hints about a cache or about speed. They do not affect the answer. */
const HINTS: ReadonlySet<string> = new Set(['maxAge', 'minAge', 'storeInCache', 'fastMode'])

/** Options of other operations, each with its name in the error. An upload cannot support them. */
const UNSUPPORTED_OPTIONS: Readonly<Record<string, string>> = {
  actions: 'actions',
  waitFor: 'waitFor',
  location: 'location overrides',
  mobile: 'mobile rendering',
  lockdown: 'lockdown',
  profile: 'browser profiles',
}

const UNSUPPORTED_FORMATS: Readonly<Record<string, string>> = {
  screenshot: 'screenshot output',
  'screenshot@fullPage': 'screenshot output',
  changeTracking: 'change tracking',
  ...Object.fromEntries(
    ['branding', 'product', 'menu', 'audio', 'video', 'rawBase64', 'attributes', 'query', 'question', 'highlights'].map(
      (name) => [name, `${name} output`],
    ),
  ),
}

/**
 * Parses the options of real clients leniently. Null means absent, in a format and in the redaction object too. An
 * unknown top-level field with a neutral value (null, false, 0, empty) is ignored and listed in `ignored`. An
 * unsupported option throws PARSE_UNSUPPORTED_OPTIONS, with `subject` ("Parse uploads"). The contract's schema checks
 * every other field.
 */
export function lenientOptions(raw: Fields, subject: string): LenientOptions {
  const unsupported = (what: string): ApiError => unsupportedOptions(`${subject} ${what}.`)
  const ignored: string[] = []
  const kept: Record<string, unknown> = {}
  const { checkPromptInjection, ...fields } = raw
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(parseOptionsSchema.shape, name)) {
      if (value !== null) kept[name] = value
    } else if (HINTS.has(name) || isNeutral(value)) ignored.push(name)
    else if (Object.hasOwn(UNSUPPORTED_OPTIONS, name)) throw unsupported(`do not support ${UNSUPPORTED_OPTIONS[name]}`)
    else kept[name] = value
  }
  const { formats = [], proxy, redactPII } = kept
  if (typeof proxy === 'string' && proxy !== 'basic' && proxy !== 'auto') {
    throw unsupported('only support proxy values of auto or basic')
  }
  const foreign = [formats]
    .flat()
    .map(typeOf)
    .find((type) => Object.hasOwn(UNSUPPORTED_FORMATS, type))
  if (foreign !== undefined) throw unsupported(`do not support ${UNSUPPORTED_FORMATS[foreign]}`)
  const check = checkFlag(checkPromptInjection)
  if (Array.isArray(kept.formats)) kept.formats = kept.formats.map((format) => lenientFormat(format, check))
  if (isObject(redactPII)) kept.redactPII = withoutNulls(redactPII)
  return { options: kept, ignored }
}

const typeOf = (format: unknown): string => String(isObject(format) ? format['type'] : format)

/** `checkPromptInjection` outside the formats is an alias of the format that a model extracts. */
function checkFlag(value: unknown): Fields {
  if (value === undefined || value === null) return {}
  if (typeof value === 'boolean') return { checkPromptInjection: value }
  const message = 'Invalid input: expected boolean'
  const path = ['checkPromptInjection']
  throw badRequest(`Bad Request: options.checkPromptInjection: ${message}`, [{ code: 'invalid_type', path, message }])
}

function lenientFormat(format: unknown, check: Fields): unknown {
  if (typeOf(format) !== 'json') return isObject(format) ? withoutNulls(format) : format
  const { check_prompt_injection: snakeCase, ...fields } = isObject(format) ? format : { type: 'json' }
  return withoutNulls({ ...check, ...(snakeCase === undefined ? {} : { checkPromptInjection: snakeCase }), ...fields })
}

function isNeutral(value: unknown): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const unsupportedOptions = (message: string): ApiError =>
  new ApiError({ status: 400, code: 'PARSE_UNSUPPORTED_OPTIONS', message })
