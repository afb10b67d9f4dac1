import { isPage, pagesOf, references } from '../structure/page-objects.ts'

/**
 * Returns the 1-based numbers of pages whose resources reference a picture, through forms and patterns too. The set may
 * contain a page too many, but never one too few. Null if the file is uncertain, such as a damaged file or one with
 * later changes.
 */
export function pagesWithPictures(
  objects: ReadonlyMap<number, string> | null,
  totalPages: number,
): ReadonlySet<number> | null {
  if (objects === null) return null
  const pages = pagesOf(objects)
  if (pages === null || pages.length !== totalPages) return null
  const found = new Set<number>()
  for (const [index, { number, inherited }] of pages.entries()) {
    if (leadsToPicture([number, ...inherited], objects)) found.add(index + 1)
  }
  return found
}

/** True if objects lead to a picture without passing through another page. */
function leadsToPicture(from: readonly number[], objects: ReadonlyMap<number, string>): boolean {
  const seen = new Set<number>()
  const open = [...from]
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (seen.has(number)) continue
    const text = objects.get(number) ?? ''
    if (seen.size > 0 && isPage(text)) continue
    seen.add(number)
    if (/\/Subtype\s*\/Image(?![A-Za-z])/.test(text)) return true
    open.push(...references(text))
  }
  return false
}
