import type { z } from 'zod'
import { parseOptionsSchema, type ParseOptions } from '#src/contract/options.ts'
import { badRequest, type FieldProblem } from '../api-error.ts'

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

/** The parse options with every default written out; 400 with `details` per field when they are not as specified. */
export function readOptions(raw: unknown): ParseOptions {
  if (raw === null) return parseOptionsSchema.parse({})
  const result = parseOptionsSchema.safeParse(raw)
  if (result.success) return result.data
  const problems = result.error.issues.map(asFieldProblem)
  throw badRequest(summary(problems), problems)
}
