/** Keys behind `after`, up to and with `upTo`; null where there is no end on that side. */
export interface KeyRange {
  readonly after: string | null
  readonly upTo: string | null
}

/** The order in which a store lists: of the bytes in UTF-8, which is not that of JavaScript's strings. */
const compared = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

/** Whether a store lists in the order of keys. One that does not (S3 Express) cannot be asked for a range. */
export const inKeyOrder = (keys: readonly string[]): boolean =>
  keys.every((key, at) => at === 0 || compared(keys[at - 1] as string, key) < 0)

/** At most `most` ranges that hold every key once, each with about as many of the folders, which are in order. The last comes first. */
export function rangesOver(folders: readonly string[], most: number): readonly KeyRange[] {
  const each = Math.ceil((folders.length + 1) / most)
  const ends = folders.filter((_, at) => (at + 1) % each === 0)
  return [null, ...ends].map((after, at) => ({ after, upTo: ends[at] ?? null })).reverse()
}

export const isBehind = (key: string, other: string): boolean => compared(key, other) > 0

export const isBeyond = (key: string, { upTo }: KeyRange): boolean => upTo !== null && isBehind(key, upTo)

/** What of a page is in the range. A store that does not know where to begin would list from the first key. */
export function within<T extends { readonly key: string }>(page: readonly T[], range: KeyRange): readonly T[] {
  const isIn = ({ key }: T): boolean => !isBeyond(key, range) && (range.after === null || isBehind(key, range.after))
  // A page comes in order: where its ends are in the range, all of it is.
  return [page[0], page.at(-1)].every((end) => end === undefined || isIn(end)) ? page : page.filter(isIn)
}
