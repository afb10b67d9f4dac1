import type { Failure } from '#src/document/failure.ts'
import { type Extension, EXTENSIONS, extensionOf, MAX_FILE_BYTES, contradiction, signatureOf } from '@sluice/contract'
import { notPlainText } from '#src/document/plain-text.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Recipe } from '#src/client/recipe.ts'
import type { Recipes } from './deps.ts'

/**
 * Failure that the listing alone shows: the worker does not open a document that no service accepts. A PDF has no size
 * limit if a cutter exists, and a text may be empty.
 */
export function refuseByListing(handling: Handling | null, bytes: number, cutter: PieceCutter | null): Failure | null {
  if (handling === null) {
    return {
      code: 'unsupported_type',
      stage: 'scan',
      message: `its name does not end in a supported extension (${EXTENSIONS.map((name) => `.${name}`).join(' ')})`,
    }
  }
  const { kind } = handling
  if (bytes === 0 && kind === 'parse')
    return {
      code: 'empty',
      stage: 'scan',
      message: 'the file is empty; write it again, or leave it out with --exclude',
    }
  const cut = kind === 'parse' && handling.extension === 'pdf' && cutter !== null
  if (bytes > MAX_FILE_BYTES && !cut) {
    const megabytes = (bytes / 1024 / 1024).toFixed(1)
    return { code: 'too_large', stage: 'scan', message: `${megabytes} MB is over the limit of 50 MB; split the file` }
  }
  return null
}

/** Failure that the first bytes show: the worker does not buy a file that clearly differs from its extension. */
export function refuseByContent(key: string, head: Uint8Array): Failure | null {
  const extension = extensionOf(key)
  const really = extension === null ? notPlainText(head) : contradiction(extension, signatureOf(head))
  if (really === null) return null
  const named = key.slice(key.lastIndexOf('.'))
  return { code: 'wrong_type', stage: 'read', message: `it is named ${named} but holds ${really}; rename it` }
}

/** Cutter of the document; null if it is small enough, or not a PDF. */
export function cutterFor(
  { extension, read }: { readonly extension: Extension; readonly read: { readonly bytes: number } },
  { cutter }: { readonly cutter: PieceCutter | null },
): PieceCutter | null {
  return extension === 'pdf' && cutter !== null && read.bytes > cutter.limitBytes ? cutter : null
}

/** Without a parser a PDF returns unchanged, and pieces of it are useless. */
export const needsPdfParser: Failure = {
  code: 'too_large',
  stage: 'read',
  message:
    'it is over the limit of 50 MB, and without a PDF parser its pieces cannot be merged; add "pdf" to parsers, or split the file',
}

/** Treatment of a document: a parser converts it, or its text is the output unchanged. */
export type Handling =
  | { readonly kind: 'parse'; readonly extension: Extension; readonly recipe: Recipe }
  | { readonly kind: 'passthrough'; readonly recipe: Recipe }

/** Null for a file with an unsupported extension: it is not a document. */
export function handlingOf(key: SourceKey, { recipeFor, textRecipeFor }: Recipes): Handling | null {
  const extension = extensionOf(key)
  if (extension !== null) return { kind: 'parse', extension, recipe: recipeFor(key, extension) }
  const recipe = textRecipeFor(key)
  return recipe === null ? null : { kind: 'passthrough', recipe }
}
