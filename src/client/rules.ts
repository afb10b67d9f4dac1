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

/** Options for documents whose key matches; the first rule that matches overrides the global options. */
export interface Rule {
  /**
   * Globs over source keys: `scans/**\/*.pdf`. A glob without a slash matches the name in any folder: `*.csv`. Names
   * that start with a dot match like others.
   */
  readonly match: string | readonly string[]
  readonly options?: ParseOptionsInput | undefined
  /** Same as `--upgrade`, for these documents. */
  readonly upgrade?: boolean | undefined
  /** Same as `--route`, for these documents. */
  readonly route?: Route | undefined
  /**
   * Name of a service in `services` for these documents and pages. It replaces the service of `PARSE_API_URL`, which is
   * `default`.
   */
  readonly service?: string | undefined
}

/** Name of the service of `PARSE_API_URL`. */
export const DEFAULT_SERVICE = 'default'

export interface RecipeSettings {
  readonly options?: ParseOptionsInput | undefined
  readonly rules?: readonly Rule[]
}

/** Returns the recipe of a document. Documents with equal options share one recipe object. */
export type RecipeBook = (key: SourceKey, extension: Extension) => Recipe

type ParserInput = NonNullable<ParseOptionsInput['parsers']>[number]
type PdfParserInput = Exclude<ParserInput, 'image' | { type: 'image' }>

const glob = z.string().min(1)
const ruleSchema = z.strictObject({
  match: z.union([glob, z.array(glob).min(1)]),
  options: z.record(z.string(), z.unknown()).optional(),
  upgrade: z.boolean().optional(),
  route: z.enum(ROUTES).optional(),
  service: z.string('the name of one service is needed').min(1).optional(),
})

/**
 * Compiles the settings once: it caches globs and options for all documents that share a rule. `pages` and `blocks` are
 * on for PDF by default, because they are free (contract, "PDF parser").
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
      recipe = recipeOf(withPdfDefaults(mergeOptions(options, rules[index]?.options ?? {})), family)
      recipes.set(name, recipe)
    }
    return recipe
  }
}

/**
 * True for a document if a newer engine must repeat an older engine's work: its rule decides, else `otherwise`. Null if
 * no rule decides.
 */
export function upgradeBook(
  { rules = [] }: Pick<RecipeSettings, 'rules'>,
  otherwise: boolean,
): ((key: SourceKey) => boolean) | null {
  if (rules.every(({ upgrade }) => upgrade === undefined)) return null
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.upgrade ?? otherwise
}

/** Returns the route of each document: its rule decides, else `otherwise`. */
export function routeBook({ rules = [] }: Pick<RecipeSettings, 'rules'>, otherwise: Route): (key: SourceKey) => Route {
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.route ?? otherwise
}

/** Returns the service of each document: its rule decides, else the pipeline's own. */
export function serviceBook({ rules = [] }: Pick<RecipeSettings, 'rules'>): (key: SourceKey) => string {
  const ruleOf = matching(rules)
  return (key) => rules[ruleOf(key)]?.service ?? DEFAULT_SERVICE
}

/** Reports the rules that no key has matched yet. */
export interface RuleUse {
  readonly recordKey: (key: string) => void
  readonly unmatched: () => readonly string[]
}

export function ruleUse(rules: readonly Rule[]): RuleUse {
  const open = new Map(rules.map(({ match }, index) => [index, [match].flat().map(globMatcher)]))
  return {
    recordKey(key) {
      for (const [index, globs] of open) if (globs.some((matches) => matches(key))) open.delete(index)
    },
    unmatched: () => [...open.keys()].map((index) => [rules[index]?.match ?? []].flat().join(', ')),
  }
}

/** Returns the index of the first rule that matches; -1 for none. */
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

/** A rule lists the differences: its fields win, and those of its PDF parser win one by one. */
function mergeOptions(base: ParseOptionsInput, over: ParseOptionsInput): ParseOptionsInput {
  const merged = { ...base, ...over }
  if (base.parsers === undefined || over.parsers === undefined) return merged
  const [below] = pdfParsersOf(base.parsers)
  return {
    ...merged,
    parsers: pdfParsersOf(over.parsers).map((parser) => ({
      type: 'pdf',
      ...parserObject(below),
      ...parserObject(parser),
    })),
  }
}

function withPdfDefaults(options: ParseOptionsInput): ParseOptionsInput {
  const { parsers = ['pdf'] } = options
  return {
    ...options,
    parsers: pdfParsersOf(parsers).map((parser) => ({
      type: 'pdf',
      pages: true,
      blocks: true,
      ...parserObject(parser),
    })),
  }
}

/** Leaves out `image`, which changes nothing. */
export function pdfParsersOf(parsers: readonly ParserInput[] = []): PdfParserInput[] {
  return parsers.flatMap((parser): PdfParserInput[] => {
    if (typeof parser === 'string') return parser === 'pdf' ? [parser] : []
    return parser.type === 'pdf' ? [parser] : []
  })
}

function parserObject(parser: PdfParserInput | undefined): Partial<Exclude<PdfParserInput, string>> {
  return typeof parser === 'string' ? { type: parser } : { ...parser }
}
