import { type OptionIssue, zodIssues, jsonSchemaProblem, parseOptionsSchema, type ParseOptions } from '@sluice/contract'
import { ApiError, badRequest, type FieldProblem } from '../api-error.ts'
import { lenientOptions } from './lenient-options.ts'

const UNRECOGNIZED = 'Unrecognized key in body -- please review the v2 API documentation for request body changes'

/** The options of a request, and sentences for `data.warning` about ignored options. */
export interface ReadOptions {
  readonly options: ParseOptions
  readonly warnings: readonly string[]
}

function asFieldProblem({ path, message, unknownKey }: OptionIssue): FieldProblem {
  if (unknownKey !== true) return { code: 'invalid_value', path, message }
  return { code: 'unrecognized_keys', path: path.slice(0, -1), message, keys: [String(path.at(-1))] }
}

function summary(issues: readonly OptionIssue[]): string {
  const unknown = issues.filter(({ unknownKey }) => unknownKey === true)
  const named = (unknown.length === 0 ? issues : unknown).map(({ path, message }) =>
    unknown.length === 0 ? `options.${path.join('.')}: ${message}` : `options.${path.join('.')}`,
  )
  return unknown.length === 0 ? `Bad Request: ${named.join('; ')}` : `${UNRECOGNIZED} (${named.join(', ')})`
}

/** Throws the contract's 422 for an invalid schema, the only check that needs a JSON Schema parser. */
function refuseBadSchemas(options: ParseOptions): void {
  for (const [index, format] of options.formats.entries()) {
    const problem = format.type === 'json' && format.schema !== undefined ? jsonSchemaProblem(format.schema) : null
    if (problem === null) continue
    const message = `Unprocessable Entity: invalid JSON Schema: formats[${index}].schema ${problem}`
    throw new ApiError({ status: 422, code: 'INVALID_JSON_SCHEMA', message })
  }
}

function warningsOf(options: ParseOptions, ignored: readonly string[]): string[] {
  const isChecked = options.formats.some((format) => format.type === 'json' && format.checkPromptInjection === true)
  return [
    ...(ignored.length === 0 ? [] : [`Not used for documents: ${ignored.join(', ')}.`]),
    ...(isChecked
      ? ['checkPromptInjection: this engine has no detector for prompt injection; nothing was checked.']
      : []),
  ]
}

/**
 * Parses the options and fills in every default. `raw` is the decoded `options` part, or undefined without one.
 * `subject` names the operation in an error.
 *
 * @throws {ApiError} 400 with `details` for each invalid field; 422 for an invalid schema
 */
export function readOptions(raw: unknown, subject = 'Parse uploads'): ReadOptions {
  if (raw === undefined) return { options: parseOptionsSchema.parse({}), warnings: [] }
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    throw badRequest("The 'options' field must parse to a JSON object.")
  }
  const { options: lenient, ignored } = lenientOptions(raw as Readonly<Record<string, unknown>>, subject)
  const result = parseOptionsSchema.safeParse(lenient)
  if (!result.success) {
    const issues = zodIssues(result.error)
    throw badRequest(summary(issues), issues.map(asFieldProblem))
  }
  refuseBadSchemas(result.data)
  return { options: result.data, warnings: warningsOf(result.data, ignored) }
}
