/** Half-open range of keys: after `after`, up to and including `upTo`; null for an open end. */
export interface KeyRange {
  readonly after: string | null
  readonly upTo: string | null
}

/** Listing order of a store: by the bytes in UTF-8, which differs from the order of JavaScript's strings. */
const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

/** True if a store lists in key order. Other stores (S3 Express) do not support ranges. */
export const inKeyOrder = (keys: readonly string[]): boolean =>
  keys.every((key, at) => at === 0 || compareBytes(keys[at - 1] as string, key) < 0)

/**
 * Divides all keys into at most `most` ranges, each with about the same number of the sorted folders. The last range
 * comes first.
 */
export function rangesOver(folders: readonly string[], most: number): readonly KeyRange[] {
  const each = Math.ceil((folders.length + 1) / most)
  const ends = folders.filter((_, at) => (at + 1) % each === 0)
  return [null, ...ends].map((after, at) => ({ after, upTo: ends[at] ?? null })).reverse()
}

export const isAfter = (key: string, other: string): boolean => compareBytes(key, other) > 0

export const isAfterRange = (key: string, { upTo }: KeyRange): boolean => upTo !== null && isAfter(key, upTo)

/** Filters a page by the range. A store without support for a start key would list from the first key. */
export function pageWithin<T extends { readonly key: string }>(page: readonly T[], range: KeyRange): readonly T[] {
  const isIn = ({ key }: T): boolean => !isAfterRange(key, range) && (range.after === null || isAfter(key, range.after))
  // A page is sorted: if both of its ends are in the range, all of it is.
  return [page[0], page.at(-1)].every((end) => end === undefined || isIn(end)) ? page : page.filter(isIn)
}
