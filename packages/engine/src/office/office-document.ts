import { toDocument, type Document as LibraryDocument } from '@firecrawl/anydoc'

/**
 * The library's document model with string unions instead of its ambient enums. JavaScript has no such enums, so code
 * without a build cannot name them.
 */
type Plain<T> = T extends string
  ? `${T}`
  : T extends Buffer
    ? T
    : T extends (infer Element)[]
      ? readonly Plain<Element>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T

export type OfficeDocument = Plain<LibraryDocument>
export type Asset = OfficeDocument['assets'][number]
export type Block = OfficeDocument['blocks'][number]
export type Inline = NonNullable<Block['content']>[number]
export type ImageSource = NonNullable<Inline['source']>
export type Style = NonNullable<Inline['style']>
export type List = NonNullable<Block['list']>
export type ListItem = List['items'][number]
export type Table = NonNullable<Block['table']>
export type Cell = NonNullable<Table['grid'][number][number]['cell']>

/** Rejects with an error that carries the library's `code`. */
export async function readOfficeDocument(bytes: Buffer): Promise<OfficeDocument> {
  return toDocument(bytes)
}
