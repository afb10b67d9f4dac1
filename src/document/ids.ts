import type { ParserClass } from './parser-class.ts'

declare const tag: unique symbol
type Brand<T, Name extends string> = T & { readonly [tag]: Name }

/**
 * Where a document stands in its source, with `/` between folders and no leading `/`: `reports/2024/q3.pdf`.
 * It is the source's own spelling, never normalised: two keys that differ by one byte are two documents.
 */
export type SourceKey = Brand<string, 'SourceKey'>

/**
 * What changes when a document's bytes change, known without reading them: size + mtime(ns) + inode for a file, ETag or
 * version id for an object. Compared for equality only; nothing may ask which of two versions is newer.
 */
export type Version = Brand<string, 'Version'>

/** SHA-256 of a document's bytes, 64 lower-case hexadecimal digits. */
export type ContentHash = Brand<string, 'ContentHash'>

/** SHA-256 of a recipe's canonical form, its first 16 hexadecimal digits. Equal meaning ⇒ equal hash. */
export type RecipeHash = Brand<string, 'RecipeHash'>

/** Names one receipt: same bytes, recipe and class of parser → same id, whatever the document is called. */
export type ReceiptId = Brand<string, 'ReceiptId'>

/** Names a store wherever it is mounted: written into its `store.json` once. */
export type StoreId = Brand<string, 'StoreId'>

/** Names a source in a store, 16 hexadecimal digits. Ledger and queue are keyed by store and source id, never by path. */
export type SourceId = Brand<string, 'SourceId'>

export const storeId = (text: string): StoreId => text as StoreId
export const sourceId = (text: string): SourceId => text as SourceId
export const sourceKey = (text: string): SourceKey => text as SourceKey
export const version = (text: string): Version => text as Version
export const contentHash = (hex: string): ContentHash => hex as ContentHash
export const recipeHash = (hex: string): RecipeHash => hex as RecipeHash

/**
 * With a parser's class the id of its receipt. Without one it names the purchase, whichever parser answers it (intents), and is
 * the id of a receipt of format 1.
 */
export function receiptId(content: ContentHash, recipe: RecipeHash, parser?: ParserClass): ReceiptId {
  return (parser === undefined ? `${content}-${recipe}` : `${content}-${recipe}-${parser}`) as ReceiptId
}

/** Stands where no recipe applies: a file that is no document of ours. */
export const NO_RECIPE: RecipeHash = recipeHash('0000000000000000')
