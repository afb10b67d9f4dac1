import type { z } from 'zod'
import { jsonSchemaProblem } from '#src/contract/json-schema.ts'
import { parseOptionsSchema, type ParseOptions } from '#src/contract/options.ts'
import { ApiError, badRequest, type FieldProblem } from '../api-error.ts'

const UNRECOGNIZED = 'Unrecognized key in body -- please review the v2 API documentation for request body changes'

function asFieldProblem(issue: z.core.$ZodIssue): FieldProblem {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  const keys = issue.code === 'unrecognized_keys' ? { keys: issue.keys } : {}
  return { code: issue.code, path, message: issue.message, ...keys }
}

function summary(problems: readonly FieldProblem[]): string {
  if (problems.some((problem) => problem.code === 'unrecognized_keys')) return UNRECOGNIZED
  return `Bad Request: ${problems.map(({ path, message }) => `options.${path.join('.')}: ${message}`).join('; ')}`
}

/** 422 as the contract has it, for the one thing in the options that only a JSON Schema reader can judge. */
function refuseBadSchemas(options: ParseOptions): void {
  for (const [index, format] of options.formats.entries()) {
    const problem = format.type === 'json' && format.schema !== undefined ? jsonSchemaProblem(format.schema) : null
    if (problem === null) continue
    const message = `Unprocessable Entity: invalid JSON Schema: formats[${index}].schema ${problem}`
    throw new ApiError({ status: 422, code: 'INVALID_JSON_SCHEMA', message })
  }
}

/** The parse options with every default written out; 400 with `details` per field when they are not as specified. */
export function readOptions(raw: unknown): ParseOptions {
  if (raw === null) return parseOptionsSchema.parse({})
  const result = parseOptionsSchema.safeParse(raw)
  if (result.success) {
    refuseBadSchemas(result.data)
    return result.data
  }
  const problems = result.error.issues.map(asFieldProblem)
  throw badRequest(summary(problems), problems)
}
