/** Keys behind `after`, up to and with `upTo`; null where there is no end on that side. */
export interface KeyRange {
  readonly after: string | null
  readonly upTo: string | null
}

/** The order in which a store lists: of the bytes in UTF-8, which is not that of JavaScript's strings. */
const compared = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

/**
 * At most `most` ranges that hold every key once, each with about as many of the folders; those up to the key `begun`
 * count no more. Null where folders do not come in the order of keys: a store that lists in another one (S3 Express)
 * cannot be asked for a range.
 */
export function rangesOver(folders: readonly string[], most: number, begun: string): readonly KeyRange[] | null {
  if (folders.some((folder, at) => at > 0 && compared(folders[at - 1] as string, folder) >= 0)) return null
  const ahead = folders.filter((folder) => compared(folder, begun) > 0)
  const each = Math.ceil((ahead.length + 1) / most)
  const ends = ahead.filter((_, at) => (at + 1) % each === 0)
  return [null, ...ends].map((after, at) => ({ after, upTo: ends[at] ?? null }))
}

export const isBeyond = (key: string, { upTo }: KeyRange): boolean => upTo !== null && compared(key, upTo) > 0

/** What of a page is in the range. A store that does not know where to begin would list from the first key. */
export function within<T extends { readonly key: string }>(page: readonly T[], range: KeyRange): readonly T[] {
  const isIn = ({ key }: T): boolean =>
    !isBeyond(key, range) && (range.after === null || compared(key, range.after) > 0)
  // A page comes in order: where its ends are in the range, all of it is.
  return [page[0], page.at(-1)].every((end) => end === undefined || isIn(end)) ? page : page.filter(isIn)
}
