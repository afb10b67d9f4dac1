import type { DocumentRecord } from '#src/document/record.ts'
import { satisfies } from '#src/document/parser.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import type { OwnedStore, Receipts } from './deps.ts'
import { parserOfRecord } from './record-parser.ts'
import type { ReadWork } from './work.ts'

/**
 * The record of these very bytes, this version and this recipe: the document is done, and its delivery comes late.
 * Committing it once more would only take its outputs away from readers for a moment, and forget what it cost. Null
 * where a commit has something to report: it failed since, or was taken for gone.
 */
export async function findRecorded(
  { job: { key }, version, read, recipe }: ReadWork,
  { owner, parsers, store }: OwnedStore & Receipts,
): Promise<DocumentRecord | null> {
  const record = await store.readRecord(key)
  if (record === null || !belongsTo(record, owner) || record.goneAt !== undefined) return null
  if (record.version !== version || record.contentHash !== read.contentHash) return null
  if (record.recipeHash !== recipe.hash || (await store.readDeadLetter(key)) !== null) return null
  return satisfies(parsers, await parserOfRecord(record, store)) ? record : null
}
