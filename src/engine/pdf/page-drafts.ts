import type { ParsedPage } from '@llamaindex/liteparse'
import { draftsOf, type PageDraft } from './draft.ts'
import { documentStyle } from './layout/document-style.ts'
import { furnitureOf } from './layout/furniture.ts'
import { type NamedHeadings, namedHeadings } from './layout/outlined-headings.ts'
import { layoutPage } from './layout/layout-page.ts'
import { rowsOf } from './layout/rows.ts'
import { rulingsOf } from './layout/rulings.ts'
import { type Word, wordsOf } from './layout/words.ts'
import type { PageReading } from './page-reading.ts'
import type { OutlineEntry } from './structure/outline.ts'

export interface BatchOptions {
  readonly onlyMainContent: boolean
  /** Words of the pages before this batch, in lower case. */
  readonly vocabulary: ReadonlySet<string>
  /** What the file's outline names, if it has one. */
  readonly outline?: readonly OutlineEntry[]
}

export interface BatchDrafts {
  readonly pages: readonly PageDraft[]
  /** With the words of this batch. */
  readonly vocabulary: ReadonlySet<string>
}

/** Lays out a batch of pages. What repeats over pages and what size text usually has is taken from the batch. */
export function pageDrafts(batch: readonly PageReading[], options: BatchOptions): BatchDrafts {
  const read = batch.map((entry) => ({ ...entry, ...separated(entry.page === null ? [] : wordsOf(entry.page)) }))
  const style = documentStyle(read.flatMap((entry) => entry.words))
  const vocabulary = options.vocabulary.union(style.vocabulary)
  const rows = read.map((entry) => ({
    rows: rowsOf(entry.words.filter((word) => word.turned === 0)),
    height: entry.page?.height ?? 0,
  }))
  const furniture = furnitureOf(rows, style.bodySize)
  const pages = read.map(({ pageNumber, page, words, inset, problems, signals }, index): PageDraft => {
    const known = { pageNumber, problems, signals }
    if (page === null) return { ...known, size: null, drafts: [], links: [] }
    const content = {
      rows: rows[index]?.rows ?? [],
      turned: words.filter((word) => word.turned !== 0),
      furniture: furniture[index] ?? new Map(),
      rulings: rulingsOf(page),
      figures: figuresOf(page),
      inset,
      named: namedOn(pageNumber, options.outline ?? []),
    }
    const drafts = draftsOf(layoutPage(content, style), { ...options, vocabulary })
    const links = [...words, ...inset].flatMap((word) => word.link ?? [])
    return { ...known, size: { width: page.width, height: page.height }, drafts, links }
  })
  return { pages, vocabulary }
}

/** An entry whose place is not known may stand on any page. */
function namedOn(pageNumber: number, outline: readonly OutlineEntry[]): NamedHeadings {
  return namedHeadings(outline.filter(({ page }) => page === null || page === pageNumber))
}

/** A page with this share of native letters is a page with pictures on it; one with less is a scan with some print. */
const MOSTLY_NATIVE = 0.3
/** Marks of a picture are taken for letters with less confidence than this. */
const SURE_IN_PICTURE = 0.6

/** What was recognised on a page with text of its own is kept apart: it must not take part in the page's own columns and tables. */
function separated(words: readonly Word[]): { readonly words: readonly Word[]; readonly inset: readonly Word[] } {
  const letters = (some: readonly Word[]): number => some.reduce((sum, word) => sum + word.text.length, 0)
  const native = words.filter((word) => word.confidence === null)
  if (native.length === words.length || letters(native) < MOSTLY_NATIVE * letters(words)) return { words, inset: [] }
  return { words: native, inset: words.filter((word) => (word.confidence ?? 0) >= SURE_IN_PICTURE) }
}

function figuresOf(page: ParsedPage) {
  return (page.blocks ?? [])
    .filter((block) => block.kind === 'figure')
    .flatMap(({ bbox }) =>
      bbox === undefined ? [] : [{ x0: bbox.x, y0: bbox.y, x1: bbox.x + bbox.width, y1: bbox.y + bbox.height }],
    )
}
