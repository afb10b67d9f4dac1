import type { ParsedPage } from '@llamaindex/liteparse'
import { draftsOf, type PageDraft } from './draft.ts'
import { documentStyle } from './layout/document-style.ts'
import { furnitureOf } from './layout/furniture.ts'
import { layoutPage } from './layout/layout-page.ts'
import { rowsOf } from './layout/rows.ts'
import { rulingsOf } from './layout/rulings.ts'
import { wordsOf } from './layout/words.ts'
import type { ReadPage } from './read-pages.ts'

export interface BatchOptions {
  readonly onlyMainContent: boolean
  /** Words of the pages before this batch, in lower case. */
  readonly vocabulary: ReadonlySet<string>
}

export interface BatchDrafts {
  readonly pages: readonly PageDraft[]
  /** With the words of this batch. */
  readonly vocabulary: ReadonlySet<string>
}

/** Lays out a batch of pages. What repeats over pages and what size text usually has is told from the batch. */
export function pageDrafts(batch: readonly ReadPage[], options: BatchOptions): BatchDrafts {
  const read = batch.map((entry) => ({ ...entry, words: entry.page === null ? [] : wordsOf(entry.page) }))
  const style = documentStyle(read.flatMap((entry) => entry.words))
  const vocabulary = options.vocabulary.union(style.vocabulary)
  const rows = read.map((entry) => ({
    rows: rowsOf(entry.words.filter((word) => word.turned === 0)),
    height: entry.page?.height ?? 0,
  }))
  const furniture = furnitureOf(rows, style.bodySize)
  const pages = read.map(({ pageNumber, page, words }, index): PageDraft => {
    if (page === null) return { pageNumber, size: null, status: 'failed', drafts: [], links: [] }
    const content = {
      rows: rows[index]?.rows ?? [],
      turned: words.filter((word) => word.turned !== 0),
      furniture: furniture[index] ?? new Map(),
      rulings: rulingsOf(page),
      figures: figuresOf(page),
    }
    const drafts = draftsOf(layoutPage(content, style), { ...options, vocabulary })
    const links = words.flatMap((word) => word.link ?? [])
    return { pageNumber, size: { width: page.width, height: page.height }, status: 'ok', drafts, links }
  })
  return { pages, vocabulary }
}

function figuresOf(page: ParsedPage) {
  return (page.blocks ?? [])
    .filter((block) => block.kind === 'figure')
    .flatMap(({ bbox }) =>
      bbox === undefined ? [] : [{ x0: bbox.x, y0: bbox.y, x1: bbox.x + bbox.width, y1: bbox.y + bbox.height }],
    )
}
