import { isUtf8 } from 'node:buffer'

/** Content of an error answer, for any shape. */
export interface ErrorBody {
  /** A line for a person, at most `TEXT_LIMIT` characters. */
  readonly text: string
  readonly code: string | null
  readonly details: unknown
  /** Null if the body was not a JSON object. */
  readonly fields: Readonly<Record<string, unknown>> | null
}

const TEXT_LIMIT = 300

/** Pattern of a code, in either case. Filters use codes, so any other text counts as none. */
const CODE = /^(?=.{1,64}$)[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*$/

/** Pattern of a code in the field of the text. It matches only codes that cannot be a sentence or a word. */
const CODE_AS_TEXT = /^(?=.{1,64}$)(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)$/

/** Numbers outside JSON that Python and JavaScript write nevertheless; the pattern skips strings. */
const NO_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:NaN|Infinity)/gs

/**
 * Parses the JSON object of a body; null if it is empty, HTML, cut off or a bare number. Skips a BOM and reads NaN as
 * null.
 */
export function jsonObject(body: Buffer): Record<string, unknown> | null {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  const value = parsedJson(text) ?? (namesNoNumber(body) ? parsedJson(withoutNoNumbers(text)) : null)
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Lists the replacements that made a body readable, one sentence each. */
export function replacedIn(body: Buffer): string[] {
  const text = namesNoNumber(body) ? body.toString('utf8').replace(/^\uFEFF/, '') : '{}'
  return [
    ...(isUtf8(body) ? [] : ['the answer holds bytes that are not UTF-8: U+FFFD replaces them in the text']),
    ...(parsedJson(text) === null
      ? ['the answer holds NaN or Infinity instead of numbers: these fields count as absent']
      : []),
  ]
}

const namesNoNumber = (body: Buffer): boolean => body.includes('NaN') || body.includes('Infinity')
const withoutNoNumbers = (text: string): string => text.replace(NO_NUMBER, (part) => (part[0] === '"' ? part : 'null'))

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Parses `success: false, error, code?, details?` (contract, "Errors: Shape"), and the shapes of other services.
 * Accepts any body without failing.
 */
export function readErrorBody(
  body: Buffer,
  fields: Readonly<Record<string, unknown>> | null = jsonObject(body),
): ErrorBody {
  if (fields === null)
    return { text: oneLine(plainText(body) ?? describeForeign(body)), code: null, details: null, fields: null }
  const [error = 'no message', message] = [fields.error, fields.message, ...ofOthers(fields)]
    .map(messageIn)
    .filter((text) => text !== null)
  // A row of the contract's catalogue has the code itself in `error`.
  const isCode = CODE_AS_TEXT.test(error)
  const code = typeof fields.code === 'string' && CODE.test(fields.code) ? fields.code : isCode ? error : null
  return { text: oneLine(textOf(error, message, isCode)), code, details: fields.details ?? null, fields }
}

/** FastAPI has `detail`, a text or a list; others `errors`, or `details` as a text. */
const ofOthers = ({ detail, errors, details }: Readonly<Record<string, unknown>>): unknown[] => [
  detail,
  errors,
  typeof details === 'string' ? details : null,
]

/** Extracts the text of a value, of an object or of a list's first item: `{"message": …}`, `[{"msg": …}]`. */
function messageIn(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first === 'string') return first.trim() === '' ? null : first
  const { message, msg } = (first ?? {}) as { message?: unknown; msg?: unknown }
  const text = message ?? msg
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

/** Text of a short body that is neither JSON nor a page. */
function plainText(body: Buffer): string | null {
  if (body.length > TEXT_LIMIT || !isUtf8(body)) return null
  const text = body.toString('utf8').trim()
  return /^[^<{["]/.test(text) ? text : null
}

/**
 * `message` next to `error` is more specific, and some services put the advice there: "Ask the account holder to verify
 * it."
 */
function textOf(error: string, message: string | undefined, isCode: boolean): string {
  if (message === undefined || message === error) return error
  return isCode ? message : `${error.replace(/[.:]\s*$/, '')}: ${message}`
}

/** Fields that `details` reports as wrong: `timeout`, `parsers.0.mode`. */
export function pathsNamedIn(details: unknown): readonly string[] {
  const issues: readonly unknown[] = Array.isArray(details) ? details : []
  const paths = issues.map((issue) => {
    const { path, keys } = (issue ?? {}) as { path?: unknown; keys?: unknown }
    return [path, keys]
      .flat()
      .filter((step) => typeof step === 'string' || typeof step === 'number')
      .join('.')
  })
  return paths.filter((path) => path !== '')
}

/** Formats them as ` (timeout, parsers.0.mode)`; empty without fields. */
export function fieldsNamedIn(details: unknown): string {
  const named = pathsNamedIn(details)
  return named.length === 0 ? '' : ` ${oneLine(`(${named.slice(0, 10).join(', ')})`)}`
}

/** Describes a body other than the service's own JSON: a proxy's page, nothing, or a truncated answer. */
export function describeForeign(body: Buffer): string {
  const start = body.subarray(0, 1024).toString('utf8').trimStart()
  if (start === '') return 'an empty body'
  if (start.startsWith('<')) {
    const title = /<title>([^<]{1,80})/i.exec(start)?.[1]
    return title === undefined ? 'a page of HTML' : `a page of HTML, "${oneLine(title)}"`
  }
  return start.startsWith('{') ? 'JSON that is cut off' : 'something else than JSON'
}

/** Replaces control characters and line ends with spaces: the text goes into logs and tables. */
export function oneLine(text: string): string {
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return line.length <= TEXT_LIMIT ? line : `${line.slice(0, TEXT_LIMIT - 1)}…`
}
