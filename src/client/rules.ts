import picomatch from 'picomatch'
import { z } from 'zod'
import {
  type Extension,
  formatOf,
  InvalidOptions,
  optionProblems,
  zodProblems,
  type ParseOptionsInput,
} from '@sluice/contract'
import type { SourceKey } from '#src/document/ids.ts'
import { type Route, ROUTES } from '#src/document/route.ts'
import { type Recipe, recipeOf } from './recipe.ts'

/** Options for the documents whose key matches; the first rule that matches is laid over the global options. */
export interface Rule {
  /**
   * Globs over source keys: `scans/**\/*.pdf`. One without a slash is about the name in any folder: `*.csv`. Names that
   * start with a dot are matched like others.
   */
  readonly match: string | readonly string[]
  readonly options?: ParseOptionsInput | undefined
  /** As `--upgrade`, for these documents. */
  readonly upgrade?: boolean | undefined
  /** As `--route`, for these documents. */
  readonly route?: Route | undefined
  /** The service of `services` that these documents and pages go to, instead of that of `PARSE_API_URL`, which is `default`. */
  readonly service?: string | undefined
}

/** The name of the service of `PARSE_API_URL`. */
export const DEFAULT_SERVICE = 'default'

export interface RecipeSettings {
  readonly options?: ParseOptionsInput | undefined
  readonly rules?: readonly Rule[]
}

/** The recipe of a document. The same recipe object for all documents that share one. */
export type RecipeBook = (key: SourceKey, extension: Extension) => Recipe

type ParserInput = NonNullable<ParseOptionsInput['parsers']>[number]

const glob = z.string().min(1)
const ruleSchema = z.strictObject({
  match: z.union([glob, z.array(glob).min(1)]),
  options: z.record(z.string(), z.unknown()).optional(),
  upgrade: z.boolean().optional(),
  route: z.enum(ROUTES).optional(),
  service: z.string('the name of one service is needed').min(1).optional(),
})

/**
 * Compiles the settings once: no glob and no option is compiled again for a document that shares a rule with an earlier
 * one. For PDF, `pages` and `blocks` are on unless the settings say otherwise: they cost nothing (contract, "PDF parser").
 *
 * @throws {InvalidOptions} with every mistake in all options and rules at once
 */
export function recipeBook({ options = {}, rules = [] }: RecipeSettings): RecipeBook {
  const problems = [...optionProblems(options), ...rules.flatMap(ruleProblems)]
  if (problems.length > 0) throw new InvalidOptions(problems)

  const ruleOf = matching(rules)
  const recipes = new Map<string, Recipe>()

  return (key, extension) => {
    const index = ruleOf(key)
    const { family } = formatOf(extension)
    const name = `${index} ${family}`
    let recipe = recipes.get(name)
    if (recipe === undefined) {
      recipe = recipeOf(withPdfDefaults(layOver(options, rules[index]?.options ?? {})), family)
      recipes.set(name, recipe)
    }
    return recipe
  }
}

/**
 * Whether what an older engine did is to be done again, for each document: its rule says so, else `otherwise` holds.
 * Null where no rule says anything.
 */
export function upgradeBook(
  { rules = [] }: Pick<RecipeSettings, 'rules'>,
  otherwise: boolean,
): ((key: SourceKey) => boolean) | null {
  if (rules.every(({ upgrade }) => upgrade === undefined)) return null
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.upgrade ?? otherwise
}

/** Where each document is parsed: its rule says so, else `otherwise` holds. */
export function routeBook({ rules = [] }: Pick<RecipeSettings, 'rules'>, otherwise: Route): (key: SourceKey) => Route {
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.route ?? otherwise
}

/** The service that the rule of each document names; the pipeline's own where it names none. */
export function serviceBook({ rules = [] }: Pick<RecipeSettings, 'rules'>): (key: SourceKey) => string {
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.service ?? DEFAULT_SERVICE
}

/** Says which rules no key has matched so far. */
export interface RuleUse {
  readonly see: (key: string) => void
  readonly unmatched: () => readonly string[]
}

export function ruleUse(rules: readonly Rule[]): RuleUse {
  const open = new Map(rules.map(({ match }, index) => [index, [match].flat().map(globMatcher)]))
  return {
    see(key) {
      for (const [index, globs] of open) if (globs.some((matches) => matches(key))) open.delete(index)
    },
    unmatched: () => [...open.keys()].map((index) => [rules[index]?.match ?? []].flat().join(', ')),
  }
}

/** The index of the first rule that matches; -1 for none. */
function matching(rules: readonly Rule[]): (key: string) => number {
  const matchers = rules.map(({ match }) => [match].flat().map(globMatcher))
  return (key) => matchers.findIndex((globs) => globs.some((matches) => matches(key)))
}

function globMatcher(pattern: string): (key: string) => boolean {
  return picomatch(pattern, { dot: true, basename: !pattern.includes('/') })
}

function ruleProblems(rule: unknown, index: number): string[] {
  const at = `rules[${index}]`
  const result = ruleSchema.safeParse(rule)
  if (!result.success) return zodProblems(result.error, at)
  return optionProblems(result.data.options ?? {}, `${at}.options`)
}

/** A rule names what is different: its fields win, and those of its PDF parser win one by one. */
function layOver(base: ParseOptionsInput, over: ParseOptionsInput): ParseOptionsInput {
  const merged = { ...base, ...over }
  if (base.parsers === undefined || over.parsers === undefined) return merged
  const [below] = base.parsers
  return {
    ...merged,
    parsers: over.parsers.map((parser) => ({ type: 'pdf', ...parserObject(below), ...parserObject(parser) })),
  }
}

function withPdfDefaults(options: ParseOptionsInput): ParseOptionsInput {
  const { parsers = ['pdf'] } = options
  return {
    ...options,
    parsers: parsers.map((parser) => ({ type: 'pdf', pages: true, blocks: true, ...parserObject(parser) })),
  }
}

function parserObject(parser: ParserInput | undefined): Partial<Exclude<ParserInput, string>> {
  return typeof parser === 'string' ? { type: parser } : { ...parser }
}
