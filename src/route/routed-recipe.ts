import { createHash } from 'node:crypto'
import { canonicalJson } from '#src/client/canonical-json.ts'
import type { Recipe } from '#src/client/recipe.ts'
import { recipeOf } from '#src/client/recipe.ts'
import { recipeHash } from '#src/document/ids.ts'
import type { RouteTerms } from '#src/document/route.ts'

/**
 * Recipe of a document that is routed by page. Its hash covers the terms, so another floor or share routes the document
 * again. `answers` names the receipts, so that costs no second purchase. Every request asks for pages and blocks, which
 * are free: without them no page can be merged back.
 */
export function routedRecipe(base: Recipe, terms: RouteTerms): Recipe {
  const answers = withPagesAndBlocks(base)
  const digest = createHash('sha256')
    .update(canonicalJson({ recipe: answers.hash, ...terms }))
    .digest('hex')
  return { ...answers, hash: recipeHash(digest.slice(0, 16)), answers }
}

function withPagesAndBlocks(base: Recipe): Recipe {
  const [pdf] = base.options.parsers
  if (pdf === undefined || (pdf.pages && pdf.blocks)) return base
  return recipeOf({ ...base.options, parsers: [{ ...pdf, pages: true, blocks: true }] })
}
