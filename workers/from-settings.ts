import type { Settings } from '#config/settings.ts'
import { textRecipeBook } from '#src/contract/passthrough.ts'
import { type RecipeBook, recipeBook } from '#src/contract/rules.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import type { IngestDeps } from '#src/ingest/deps.ts'
import type { GonePolicy } from '#src/ingest/scan/sweep-gone.ts'
import { outOf } from '#src/sources/prefixed-source.ts'
import { parseOptionsOf } from './parse-options.ts'

/** Globs of rules are about a document's key in its source, without the prefix that it has in the store. */
export function recipesFor(settings: Settings): (prefix: string) => Pick<IngestDeps, 'recipeFor' | 'textRecipeFor'> {
  const book = recipeBook({ options: parseOptionsOf(settings), rules: settings.rules })
  return (prefix) => {
    const recipeFor: RecipeBook = prefix === '' ? book : (key, extension) => book(outOf(prefix, key) ?? key, extension)
    return { recipeFor, textRecipeFor: textRecipeBook(recipeFor, settings.passthrough) }
  }
}

export const scanSettings = ({ backlogLimit, checksum, deleteGone }: Settings) => ({
  backlogLimit,
  checksum,
  removeGone: deleteGone,
})

export const ingestSettings = ({ ocrFallback, minGrade, storePatienceMs, storeSlowMs, deadlineMs }: Settings) => ({
  ocrFallback,
  minGrade,
  storePatienceMs,
  storeSlowMs,
  deadlineMs,
})

export const cutterOf = ({ splitLargePdfs }: Settings): PdfCutter | null => (splitLargePdfs ? new PdfCutter() : null)

export const gonePolicyOf = ({ deleteGone, goneLimitPercent, force }: Settings): GonePolicy => ({
  remove: deleteGone,
  believableShare: goneLimitPercent / 100,
  force,
  leavePending: false,
})
