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
  /** Lower-case words of the pages before this batch. */
  readonly vocabulary: ReadonlySet<string>
  /** Headings in the file's outline, if it has one. */
  readonly outline?: readonly OutlineEntry[]
}

export interface BatchDrafts {
  readonly pages: readonly PageDraft[]
  /** Includes the words of this batch. */
  readonly vocabulary: ReadonlySet<string>
}

/** Lays out a batch of pages. Detects repeated text and the body font size over the batch. */
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

/** An outline entry without a page may match a heading on any page. */
function namedOn(pageNumber: number, outline: readonly OutlineEntry[]): NamedHeadings {
  return namedHeadings(outline.filter(({ page }) => page === null || page === pageNumber))
}

/**
 * Threshold: fraction of native letters. A page above it is text with pictures. A page below it is a scan with some
 * print.
 */
const MOSTLY_NATIVE = 0.3
/**
 * Threshold of OCR confidence. Marks of a picture that OCR misreads as letters score below it. Words in poor print do
 * too.
 */
const SURE_IN_PICTURE = 0.6

interface PageWords {
  readonly words: readonly Word[]
  /** Words in pictures on a page with native text. */
  readonly recognised: readonly Word[]
  /** Labels of drawings, one group for each drawing. */
  readonly inset: readonly (readonly Word[])[]
  readonly drawings: readonly Box[]
}

interface OrientedWords extends PageWords {
  /** Page width if the layout is mirrored for text from right to left. Null otherwise. */
  readonly mirror: number | null
  /** Scale factor of the page for its layout. */
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
 * Separates labels of drawings, and recognised words on a page with native text. They must not affect the page's
 * columns and tables.
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
  // A page that contains only a drawing keeps its words.
  if (inDrawings.size === native.length) return { words: native, recognised, inset: [], drawings }
  return { words: native.filter((word) => !inDrawings.has(word)), recognised, inset: labels, drawings }
}

/** Maximum distance of axis numbers outside a drawing, in points. */
const LABEL_POINTS = 10
const AXIS_LABEL = /^[$€£]?[-−]?[\d.,]{1,8}%?$/

/** Returns the labels of a drawing. A line that extends past the drawing is text that only touches it. */
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

/** Returns the rules outside all drawings. */
function outside({ horizontal, vertical }: Rulings, drawings: readonly Box[]): Rulings {
  const isOut = (x0: number, y0: number, x1: number, y1: number): boolean =>
    !drawings.some((box) => x0 > box.x0 - 3 && x1 < box.x1 + 3 && y0 > box.y0 - 3 && y1 < box.y1 + 3)
  return {
    horizontal: horizontal.filter(({ at, start, end }) => isOut(start, at, end, at)),
    vertical: vertical.filter(({ at, start, end }) => isOut(at, start, at, end)),
  }
}

/**
 * Threshold: fraction of words that rules cross. Rules above it are a background pattern. A single crossed word is
 * wider than its cell.
 */
const MANY_CROSSED = 0.2
/** Threshold in points. A rule this near to a word's end does not cross it. */
const BESIDE_POINTS = 1.5

/** Returns the rules, or none if they cross words. Lines of a table run between words. */
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
