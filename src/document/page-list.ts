import type { ContentHash, ReceiptId, RecipeHash } from './ids.ts'

/** Maximum length of a list within a file name of 255 bytes. */
const MAX_LETTERS = 100

/** Encodes pages, counted from 1, as text in order: `3.7_9` is 3, 7, 8 and 9. */
export function pageListText(pages: readonly number[]): string {
  return rangesOf(pages)
    .map(([first, last]) => (first === last ? `${first}` : `${first}_${last}`))
    .join('.')
}

/** The same in the syntax of qpdf: `3,7-9`. */
export function qpdfRange(pages: readonly number[]): string {
  return rangesOf(pages)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(',')
}

function rangesOf(pages: readonly number[]): (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = []
  for (const page of pages) {
    const last = ranges.at(-1)
    if (last !== undefined && page === last[1] + 1) last[1] = page
    else ranges.push([page, page])
  }
  return ranges
}

function pagesOfText(text: string): number[] {
  return text.split('.').flatMap((range) => {
    const [first = 0, last = first] = range.split('_').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

/** Maximum number of pages in a sentence. */
const MAX_NAMED = 10

/** Formats pages for a sentence: `page 3`, `pages 1, 2`; at most the first ten. */
export function namedPages(pages: readonly number[]): string {
  const more = pages.length > MAX_NAMED ? ` and ${pages.length - MAX_NAMED} more` : ''
  return `${pages.length === 1 ? 'page' : 'pages'} ${pages.slice(0, MAX_NAMED).join(', ')}${more}`
}

/** Splits pages into as few lists as possible. Each fits into the name of a receipt and has at most `most` pages. */
export function pageLists(pages: readonly number[], most: number): number[][] {
  const lists: number[][] = []
  for (const page of pages) {
    const list = lists.at(-1)
    const isFull = list === undefined || list.length >= most || pageListText([...list, page]).length > MAX_LETTERS
    if (isFull) lists.push([page])
    else list.push(page)
  }
  return lists
}

export function halvesOf(pages: readonly number[]): number[][] {
  const middle = Math.ceil(pages.length / 2)
  return [pages.slice(0, middle), pages.slice(middle)].filter((half) => half.length > 0)
}

/**
 * Content hash of some pages of a document. It derives from the document's own hash, so a lookup of their answer needs
 * no new cut, even after an update of the cutter.
 */
export function partHash(content: ContentHash, pages: readonly number[]): ContentHash {
  return `${content}.p${pageListText(pages)}` as ContentHash
}

/**
 * Parses the pages of a service's receipt. Null for a receipt of a complete document, of another recipe or of the
 * engine.
 */
export function pagesOfReceipt(id: ReceiptId, content: ContentHash, recipe: RecipeHash): readonly number[] | null {
  const start = `${content}.p`
  const end = `-${recipe}-service`
  return id.startsWith(start) && id.endsWith(end) ? pagesOfText(id.slice(start.length, -end.length)) : null
}
