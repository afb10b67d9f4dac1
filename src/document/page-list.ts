import type { ContentHash, ReceiptId, RecipeHash } from './ids.ts'

/** Longest text of a list within a file name of 255 bytes. */
const MOST_LETTERS = 100

/** Pages counted from 1, in order, as text: `3.7_9` is 3, 7, 8 and 9. */
export function pageListText(pages: readonly number[]): string {
  return rangesOf(pages)
    .map(([first, last]) => (first === last ? `${first}` : `${first}_${last}`))
    .join('.')
}

/** The same as qpdf wants it: `3,7-9`. */
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

/** Pages that a sentence names. */
const MOST_NAMED = 10

/** As a sentence names them: `page 3`, `pages 1, 2`; of many the first ten. */
export function namedPages(pages: readonly number[]): string {
  const more = pages.length > MOST_NAMED ? ` and ${pages.length - MOST_NAMED} more` : ''
  return `${pages.length === 1 ? 'page' : 'pages'} ${pages.slice(0, MOST_NAMED).join(', ')}${more}`
}

/** As few lists as hold all these pages, each short enough for the name of a receipt and of `most` pages at the most. */
export function pageLists(pages: readonly number[], most: number): number[][] {
  const lists: number[][] = []
  for (const page of pages) {
    const list = lists.at(-1)
    const isFull = list === undefined || list.length >= most || pageListText([...list, page]).length > MOST_LETTERS
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
 * Names the content of some pages of a document. It is made of the document's own hash, so that an answer for them is
 * found without cutting them again, also after an update of the cutter.
 */
export function partHash(content: ContentHash, pages: readonly number[]): ContentHash {
  return `${content}.p${pageListText(pages)}` as ContentHash
}

/** The pages that a service's receipt is for; null for one of the whole document, of another recipe or of the engine. */
export function pagesOfReceipt(id: ReceiptId, content: ContentHash, recipe: RecipeHash): readonly number[] | null {
  const start = `${content}.p`
  const end = `-${recipe}-service`
  return id.startsWith(start) && id.endsWith(end) ? pagesOfText(id.slice(start.length, -end.length)) : null
}
