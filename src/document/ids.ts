import type { ParserClass } from './parser-class.ts'

declare const tag: unique symbol
type Brand<T, Name extends string> = T & { readonly [tag]: Name }

/**
 * Path of a document in its source, with `/` between folders and no leading `/`: `reports/2024/q3.pdf`. It keeps the
 * source's own spelling without normalization: two keys that differ by a byte are two documents.
 */
export type SourceKey = Brand<string, 'SourceKey'>

/**
 * A value that changes with a document's bytes and is known without reading them. It is size + mtime(ns) + inode for a
 * file, ETag or version id for an object. Versions compare for equality only; they have no order.
 */
export type Version = Brand<string, 'Version'>

/** SHA-256 of a document's bytes, 64 lower-case hexadecimal digits. */
export type ContentHash = Brand<string, 'ContentHash'>

/** SHA-256 of a recipe's canonical form, its first 16 hexadecimal digits. Equal meaning ⇒ equal hash. */
export type RecipeHash = Brand<string, 'RecipeHash'>

/** Id of a receipt: same bytes, recipe and class of parser → same id, for any file name. */
export type ReceiptId = Brand<string, 'ReceiptId'>

/** Id of a store, independent of its mount point; written into its `store.json` once. */
export type StoreId = Brand<string, 'StoreId'>

/**
 * Id of a source in a store, 16 hexadecimal digits. Store id and source id key the ledger and the queue; paths do not.
 */
export type SourceId = Brand<string, 'SourceId'>

export const storeId = (text: string): StoreId => text as StoreId
export const sourceId = (text: string): SourceId => text as SourceId
export const sourceKey = (text: string): SourceKey => text as SourceKey
/** Part of a version that changes with the content: the version of a page also holds its validators after `~`. */
export const contentVersion = (of: Version): Version =>
  (/^((?:page|text)-[0-9a-f]{20})~/.exec(of)?.[1] ?? of) as Version

export const version = (text: string): Version => text as Version
export const contentHash = (hex: string): ContentHash => hex as ContentHash
export const recipeHash = (hex: string): RecipeHash => hex as RecipeHash

/**
 * With a parser's class, builds the id of its receipt. Without one, builds the id of the purchase, independent of the
 * parser (intents), which is also the id of a receipt of format 1.
 */
export function receiptId(content: ContentHash, recipe: RecipeHash, parser?: ParserClass): ReceiptId {
  return (parser === undefined ? `${content}-${recipe}` : `${content}-${recipe}-${parser}`) as ReceiptId
}

/** Sentinel for a file without a recipe: it is not a document. */
export const NO_RECIPE: RecipeHash = recipeHash('0000000000000000')
