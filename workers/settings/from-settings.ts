import type { Settings } from '#config/settings.ts'
import type { ParseOptionsInput } from '@sluice/contract'
import { textRecipeBook } from '#src/client/passthrough.ts'
import type { Recipe } from '#src/client/recipe.ts'
import { pdfParsersOf, type RecipeBook, recipeBook } from '#src/client/rules.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import type { RouteTerms } from '#src/document/route.ts'
import type { Recipes } from '#src/ingest/document/deps.ts'
import type { GonePolicy } from '#src/ingest/scan/sweep-gone.ts'
import { routedRecipe } from '#src/route/routed-recipe.ts'
import { withoutPrefix } from '#src/sources/prefixed-source.ts'
import { routesWith } from './parser-policy.ts'

/** Globs of rules match a document's key in its source, without the prefix of the store. */
export function recipesFor(settings: Settings): (prefix: string) => Recipes {
  const book = recipeBook({ options: parseOptionsOf(settings), rules: settings.rules })
  const terms = routeTermsOf(settings)
  const byPage = memoised((base: Recipe) => routedRecipe(base, terms))
  return (prefix) => {
    const routes = routesWith(settings, prefix)
    const recipeFor: RecipeBook = (key, extension) => {
      const recipe = book(withoutPrefix(prefix, key) ?? key, extension)
      return routes?.of(key) === 'local-first' ? byPage(recipe) : recipe
    }
    return { recipeFor, textRecipeFor: textRecipeBook(recipeFor, settings.passthrough) }
  }
}

/** Caches the result per object: documents share recipes. */
function memoised<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const made = new WeakMap<K, V>()
  return (of) => {
    const known = made.get(of) ?? make(of)
    made.set(of, known)
    return known
  }
}

const DEFAULT_QUALITY_FLOOR = 0.9

export const routeTermsOf = ({
  qualityFloor = DEFAULT_QUALITY_FLOOR,
  buyShare = 1,
  buyPages,
}: Pick<Settings, 'qualityFloor' | 'buyShare' | 'buyPages'>): RouteTerms => ({
  qualityFloor,
  buyShare,
  buyPages: buyPages ?? null,
})

export const scanSettings = ({ backlogLimit, detectChanges, deleteGone }: Settings) => ({
  backlogLimit,
  checksum: detectChanges === 'content',
  removeGone: deleteGone,
})

export const cutterOf = ({ splitLargePdfs }: Settings): PdfCutter | null => (splitLargePdfs ? new PdfCutter() : null)

export const ingestSettings = (settings: Settings, prefix: string) => ({
  mustStay: routesWith(settings, prefix)?.mustStay ?? (() => false),
  ocrFallback: settings.ocrFallback,
  minGrade: settings.minGrade,
  storePatienceMs: settings.storePatienceMs,
  deadlineMs: settings.deadlineMs,
  cutter: cutterOf(settings),
})

export const gonePolicyOf = ({ deleteGone, goneLimitPercent, force }: Settings): GonePolicy => ({
  remove: deleteGone,
  maxGoneShare: goneLimitPercent / 100,
  force,
  leavePending: false,
})

type ParseSettings = Pick<Settings, 'mode' | 'formats' | 'pages' | 'blocks' | 'options'>

/**
 * The parse options for all documents. The shorthands `--mode`, `--formats`, `--pages` and `--blocks` override
 * `--options`.
 */
function parseOptionsOf({ mode, formats, pages, blocks, options }: ParseSettings): ParseOptionsInput {
  const [parser] = pdfParsersOf(options.parsers)
  const pdf = typeof parser === 'object' && parser !== null ? parser : {}
  return {
    ...options,
    ...(formats.length === 0 ? {} : { formats: formats.map((type) => ({ type })) }),
    parsers: [{ type: 'pdf', mode, pages, blocks, ...pdf }],
  }
}
