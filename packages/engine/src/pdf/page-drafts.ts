import type { ParsedPage } from '@llamaindex/liteparse'
import { draftsOf, type PageDraft } from './draft.ts'
import { type Box, holds, middleY } from './geometry/box.ts'
import { documentStyle } from './geometry/document-style.ts'
import { drawingsOf } from './layout/drawings.ts'
import { furnitureOf } from './layout/furniture.ts'
import { type NamedHeadings, namedHeadings } from './layout/outlined-headings.ts'
import { layoutPage } from './layout/layout-page.ts'
import { enlargedBox, enlargedRulings, enlargedWord, enlargementOf } from './layout/print-size.ts'
import { rowsOf } from './geometry/rows.ts'
import { mirroredBox, mirroredRulings, mirroredWord, runsFromRight, withOwnBox } from './layout/mirrored.ts'
import { type Rulings, rulingsOf } from './geometry/rulings.ts'
import { type Word, wordsOf } from './geometry/words.ts'
import { isLikeWord } from './page/letters.ts'
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
  const read = batch.map((entry) => ({ ...entry, ...(entry.page === null ? NO_WORDS : oriented(entry.page)) }))
  const style = documentStyle(read.flatMap((entry) => entry.words))
  const vocabulary = options.vocabulary.union(style.vocabulary)
  const rows = read.map((entry) => ({
    rows: rowsOf(entry.words.filter((word) => word.turned === 0)),
    height: (entry.page?.height ?? 0) * entry.by,
  }))
  const furniture = furnitureOf(rows, style.bodySize)
  const pages = read.map(
    ({ pageNumber, page, words, recognised, inset, drawings, mirror, by, problems, signals }, index): PageDraft => {
      const known = { pageNumber, problems, signals }
      if (page === null) return { ...known, size: null, drafts: [], links: [] }
      const rulings = enlargedRulings(rulingsOf(page), by)
      const figures = figuresOf(page).map((box) => enlargedBox(box, by))
      const content = {
        rows: rows[index]?.rows ?? [],
        turned: words.filter((word) => word.turned !== 0),
        furniture: furniture[index] ?? new Map(),
        rulings: betweenWords(outside(mirror === null ? rulings : mirroredRulings(rulings, mirror), drawings), words),
        figures: [...figures.map((box) => (mirror === null ? box : mirroredBox(box, mirror))), ...drawings],
        recognised,
        inset,
        named: namedOn(pageNumber, options.outline ?? []),
      }
      const blocks = layoutPage(content, style)
        .map((block) => (mirror === null ? block : withOwnBox(block, mirror)))
        .map((block) => ({ ...block, box: enlargedBox(block.box, 1 / by) }))
      const drafts = draftsOf(blocks, { ...options, vocabulary, bodySize: style.bodySize })
      const links = [...words, ...recognised, ...inset.flat()].flatMap((word) => word.link ?? [])
      return { ...known, size: { width: page.width, height: page.height }, drafts, links }
    },
  )
  return { pages, vocabulary }
}

/** An entry whose place is not known may stand on any page. */
function namedOn(pageNumber: number, outline: readonly OutlineEntry[]): NamedHeadings {
  return namedHeadings(outline.filter(({ page }) => page === null || page === pageNumber))
}

/** A page with this share of native letters is a page with pictures on it; one with less is a scan with some print. */
const MOSTLY_NATIVE = 0.3
/** Marks of a picture are taken for letters with less confidence than this; so are words in print that is hard to read. */
const SURE_IN_PICTURE = 0.6

interface PageWords {
  readonly words: readonly Word[]
  /** Words of pictures on a page that has text of its own. */
  readonly recognised: readonly Word[]
  /** Labels of drawings, each group by itself. */
  readonly inset: readonly (readonly Word[])[]
  readonly drawings: readonly Box[]
}

interface OrientedWords extends PageWords {
  /** The width of a page that is laid out in a mirror, as its text runs from right to left; null for others. */
  readonly mirror: number | null
  /** Times by which the page is enlarged for its layout. */
  readonly by: number
}

const NO_WORDS: OrientedWords = { words: [], recognised: [], inset: [], drawings: [], mirror: null, by: 1 }

function oriented(page: ParsedPage): OrientedWords {
  const found = separated(page)
  const by = enlargementOf(found.words)
  const enlarged = (words: readonly Word[]): Word[] => words.map((word) => enlargedWord(word, by))
  const own = by === 1 ? found : { ...found, words: enlarged(found.words), recognised: enlarged(found.recognised) }
  const width = page.width * by
  if (!runsFromRight(own.words)) return { ...own, mirror: null, by }
  const mirrored = (words: readonly Word[]): Word[] => words.map((word) => mirroredWord(word, width))
  return {
    words: mirrored(own.words),
    recognised: mirrored(own.recognised),
    inset: own.inset.map(mirrored),
    drawings: own.drawings.map((box) => mirroredBox(box, width)),
    mirror: width,
    by,
  }
}

/**
 * The labels of drawings, and what was recognised on a page with text of its own, are kept apart: they must not take part in the
 * page's own columns and tables.
 */
function separated(page: ParsedPage): PageWords {
  const all = wordsOf(page)
  const letters = (some: readonly Word[]): number => some.reduce((sum, word) => sum + word.text.length, 0)
  const native = all.filter((word) => word.confidence === null)
  const isScan = native.length < all.length && letters(native) < MOSTLY_NATIVE * letters(all)
  if (isScan) return { words: all, recognised: [], inset: [], drawings: [] }
  const recognised = all.filter(
    ({ confidence, text }) => confidence !== null && (confidence >= SURE_IN_PICTURE || isLikeWord(text)),
  )
  const drawings = drawingsOf(page, native)
  const labels = drawings.map((box) => labelsOf(box, native))
  const inDrawings = new Set(labels.flat())
  // A page that is nothing but a drawing is read as it stands.
  if (inDrawings.size === native.length) return { words: native, recognised, inset: [], drawings }
  return { words: native.filter((word) => !inDrawings.has(word)), recognised, inset: labels, drawings }
}

/** The numbers of an axis stand this near outside, in points. */
const LABEL_POINTS = 10
const AXIS_LABEL = /^[$€£]?[-−]?[\d.,]{1,8}%?$/

/** A line that runs out of a drawing is text that it only touches. */
function labelsOf(box: Box, words: readonly Word[]): Word[] {
  const near = LABEL_POINTS
  const around = { x0: box.x0 - near, y0: box.y0 - near, x1: box.x1 + near, y1: box.y1 + near }
  const lines = rowsOf(words.filter((word) => word.turned === 0)).flatMap(({ segments }) => segments)
  const whole = lines.filter(
    (line) => line.x0 > around.x0 && line.x1 < around.x1 && line.y0 > around.y0 && line.y1 < around.y1,
  )
  const labels = whole.filter((line) => holds(box, line) || line.words.every(({ text }) => AXIS_LABEL.test(text)))
  return [...labels.flatMap((line) => line.words), ...words.filter((word) => word.turned !== 0 && holds(around, word))]
}

/** The rules that are no lines of a drawing. */
function outside({ horizontal, vertical }: Rulings, drawings: readonly Box[]): Rulings {
  const isOut = (x0: number, y0: number, x1: number, y1: number): boolean =>
    !drawings.some((box) => x0 > box.x0 - 3 && x1 < box.x1 + 3 && y0 > box.y0 - 3 && y1 < box.y1 + 3)
  return {
    horizontal: horizontal.filter(({ at, start, end }) => isOut(start, at, end, at)),
    vertical: vertical.filter(({ at, start, end }) => isOut(at, start, at, end)),
  }
}

/** Lines that run through so many of a page's words are a pattern behind them; a word that is wider than its cell is one of many. */
const MANY_CROSSED = 0.2
/** A line this near to a word's end, in points, stands beside it. */
const BESIDE_POINTS = 1.5

/** The rules, or none where they run through words: lines of a table stand between them. */
function betweenWords(rulings: Rulings, words: readonly Word[]): Rulings {
  const crossed = words.filter((word) =>
    rulings.vertical.some(
      ({ at, start, end }) =>
        at > word.x0 + BESIDE_POINTS && at < word.x1 - BESIDE_POINTS && start < middleY(word) && end > middleY(word),
    ),
  )
  return crossed.length > MANY_CROSSED * words.length ? { horizontal: [], vertical: [] } : rulings
}

function figuresOf(page: ParsedPage) {
  return (page.blocks ?? [])
    .filter((block) => block.kind === 'figure')
    .flatMap(({ bbox }) =>
      bbox === undefined ? [] : [{ x0: bbox.x, y0: bbox.y, x1: bbox.x + bbox.width, y1: bbox.y + bbox.height }],
    )
}
