import type { z } from 'zod'
import { jsonSchemaProblem } from './json-schema.ts'
import { type ParseOptionsInput, parseOptionsSchema } from './options.ts'

/** Options or rules that the contract does not allow. Thrown before anything is sent. */
export class InvalidOptions extends Error {
  override name = 'InvalidOptions' as const
  /** Every mistake, as `options.parsers[0].maxPages: what is wrong`. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Every mistake in these options, each with its path, which starts with `at`. */
export function optionProblems(input: unknown, at = 'options'): string[] {
  const result = parseOptionsSchema.safeParse(input)
  if (!result.success) return zodProblems(result.error, at)
  return result.data.formats.flatMap((format, index) => {
    if (format.type !== 'json' || format.schema === undefined) return []
    const problem = jsonSchemaProblem(format.schema)
    return problem === null ? [] : [`${at}.formats[${index}].schema ${problem}`]
  })
}

/** @throws {InvalidOptions} */
export function checkOptions(input: ParseOptionsInput): void {
  const problems = optionProblems(input)
  if (problems.length > 0) throw new InvalidOptions(problems)
}

/** Every issue of a schema's error as `path: message`, the path written after `at`. */
export function zodProblems(error: z.ZodError, at: string): string[] {
  return error.issues.flatMap((issue) => issueProblems(issue, at))
}

function issueProblems(issue: z.core.$ZodIssue, at: string): string[] {
  const path = at + issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  if (issue.code !== 'invalid_union') return [`${path}: ${issue.message}`]
  // "Invalid input" helps nobody: tell what is wrong with the alternative whose type is the right one.
  const meant = issue.errors.find((issues) =>
    issues.every(({ code, path: inside }) => code !== 'invalid_type' || inside.length > 0),
  )
  return meant?.flatMap((inner) => issueProblems(inner, path)) ?? [`${path}: ${issue.message}`]
}
