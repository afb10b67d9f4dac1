import type { z } from 'zod'
import { jsonSchemaProblem } from './json-schema.ts'
import { type ParseOptionsInput, parseOptionsSchema } from './options.ts'

/** The contract does not allow these options or rules. Thrown before the client sends a request. */
export class InvalidOptions extends Error {
  override name = 'InvalidOptions' as const
  /** All mistakes, each as `options.parsers[0].maxPages: what is wrong`. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** A mistake in options, rules or settings. */
export interface OptionIssue {
  /** Path from the outermost field to the wrong one; an unknown key is its last step. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The schema does not know the field. */
  readonly unknownKey?: true
}

/** Returns every mistake in these options. */
export function optionIssues(input: unknown): OptionIssue[] {
  const result = parseOptionsSchema.safeParse(input)
  if (!result.success) return zodIssues(result.error)
  return result.data.formats.flatMap((format, index) => {
    if (format.type !== 'json' || format.schema === undefined) return []
    const message = jsonSchemaProblem(format.schema)
    return message === null ? [] : [{ path: ['formats', index, 'schema'], message }]
  })
}

/** Like `optionIssues`, each issue as `path: message`; the path starts with `at`. */
export function optionProblems(input: unknown, at = 'options'): string[] {
  return optionIssues(input).map((issue) => problemOf(issue, at))
}

/** @throws {InvalidOptions} */
export function checkOptions(input: ParseOptionsInput): void {
  const problems = optionProblems(input)
  if (problems.length > 0) throw new InvalidOptions(problems)
}

/** Formats every issue of a schema error as `path: message`, with the path after `at`. */
export function zodProblems(error: z.ZodError, at: string): string[] {
  return zodIssues(error).map((issue) => problemOf(issue, at))
}

/** Lists the issues of a schema. For alternatives it lists those of the alternative that the user meant. */
export function zodIssues({ issues }: Pick<z.ZodError, 'issues'>): OptionIssue[] {
  return issues.flatMap((issue) => flatIssues(issue, []))
}

function flatIssues(issue: z.core.$ZodIssue, above: OptionIssue['path']): OptionIssue[] {
  const path = [...above, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'there is no such field', unknownKey: true }))
  }
  const { message } = issue
  if (issue.code === 'custom' && issue.params?.['unknownKey'] === true) return [{ path, message, unknownKey: true }]
  if (issue.code !== 'invalid_union') return [{ path, message }]
  // "Invalid input" names no remedy: the alternative of the given type does.
  const meant = issue.errors.find((issues) =>
    issues.every(({ code, path: inside }) => code !== 'invalid_type' || inside.length > 0),
  )
  return meant?.flatMap((inner) => flatIssues(inner, path)) ?? [{ path, message }]
}

const problemOf = ({ path, message }: OptionIssue, at: string): string => `${at}${written(path)}: ${message}`

const written = (path: OptionIssue['path']): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
