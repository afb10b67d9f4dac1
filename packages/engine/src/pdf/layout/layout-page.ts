import { latticeTables } from '../tables/lattice.ts'
import { streamTables } from '../tables/stream.ts'
import type { Figure, LayoutBlock, Line } from './block.ts'
import { type Box, holds, middleY, shared, union } from '../geometry/box.ts'
import type { DocumentStyle } from '../geometry/document-style.ts'
import type { FurnitureKind } from './furniture.ts'
import { withFormulas } from './formulas.ts'
import { withHeadings } from './headings.ts'
import { inReadingOrder } from '../geometry/line-text.ts'
import { withStarredNotes } from './notes.ts'
import { type NamedHeadings, withNamedHeadings } from './outlined-headings.ts'
import { bandsOf } from './parties.ts'
import { paragraphsOf } from './paragraphs.ts'
import { regionsOf } from './regions.ts'
import { type Row, rowOf, rowsOf, turnedLines, wordsIn } from '../geometry/rows.ts'
import type { Word } from '../geometry/words.ts'
import type { Rulings } from '../geometry/rulings.ts'
import type { TableGrid } from '../tables/grid.ts'

export interface PageContent {
  readonly rows: readonly Row[]
  /** Words rotated up or down the page. */
  readonly turned: readonly Word[]
  readonly furniture: ReadonlyMap<Row, FurnitureKind>
  readonly rulings: Rulings
  readonly figures: readonly Box[]
  /** Words that OCR read on a page with native text. */
  readonly recognised: readonly Word[]
  /** Labels of drawings, one group for each drawing. */
  readonly inset: readonly (readonly Word[])[]
  /** Headings of this page in the file's outline. */
  readonly named: NamedHeadings
}

/** Returns the blocks of a page in reading order: headers first, footers last, the rest column by column. */
export function layoutPage(page: PageContent, style: DocumentStyle): LayoutBlock[] {
  const running = [...page.furniture].map(([row, kind]) => ({ kind, box: row, lines: [lineOf(row)] }))
  const top = running.filter((block) => isInUpperHalf(block.box, page))
  const words = page.rows.filter((row) => !page.furniture.has(row)).flatMap(wordsIn)
  const lattices = latticeTables([...words, ...page.turned], page.rulings)
  const inTables = new Set(lattices.flatMap((table) => table.rows.flat(2)))
  const rows = rowsOf(words.filter((word) => !inTables.has(word)))
  const placed = new Map<Row, TableGrid>(lattices.map((table) => [rowOf([{ ...table.box, words: [] }]), table]))
  const all = [...rows, ...placed.keys()].sort((a, b) => a.y0 - b.y0)
  const blocks = bandsOf(all).flatMap((band) => {
    const regions = band.kind === 'rows' ? regionsOf(band.rows) : band.columns
    return regions.flatMap((region) => regionBlocks(region, placed, page.rulings))
  })
  const noted = withStarredNotes(blocks)
  const headed = withHeadings(withNamedHeadings(noted, page.named), style)
  const { figures, others } = withLabels(page.figures, page.recognised)
  const pictured = withPlaced(headed, [...figures, ...insetBlocks(others)], { behindTitle: true })
  const body = withPlaced(pictured, page.inset.flatMap(insetBlocks), { behindTitle: false })
  const aside = asideBlocks(
    page.turned.filter((word) => !inTables.has(word)),
    rows,
  )
  return [...top, ...body, ...aside, ...running.filter((block) => !top.includes(block))]
}

/** Lays out rotated text next to the rest. Labels of axes are content. Stamps in the margin are not. */
function asideBlocks(words: readonly Word[], rows: readonly Row[]): LayoutBlock[] {
  const [left, right] = [Math.min(...rows.map((row) => row.x0)), Math.max(...rows.map((row) => row.x1))]
  return [90, 270].flatMap((turn) =>
    turnedLines(words.filter((word) => word.turned === turn)).map((line): LayoutBlock => {
      const box = union(line)
      // On a page without other text, it is the page's text.
      const inMargin = rows.length > 0 && (box.x1 <= left || box.x0 >= right)
      return { kind: inMargin ? 'page_footer' : 'paragraph', box, lines: [line] }
    }),
  )
}

function isInUpperHalf(box: Box, page: PageContent): boolean {
  const bottom = Math.max(...page.rows.map((row) => row.y1))
  return middleY(box) < bottom / 2
}

const lineOf = (row: Row) => inReadingOrder(wordsIn(row))

function regionBlocks(region: readonly Row[], placed: ReadonlyMap<Row, TableGrid>, rulings: Rulings): LayoutBlock[] {
  const blocks: LayoutBlock[] = []
  let text: Row[] = []
  const flush = (): void => {
    blocks.push(...textBlocks(text, rulings))
    text = []
  }
  for (const row of region) {
    const table = tableAt(row, placed)
    if (table === null) {
      text.push(row)
    } else {
      flush()
      blocks.push(table)
    }
  }
  flush()
  return blocks
}

/** Finds a positioned table by its box. The column split rebuilds the rows, so they are unusable as keys. */
function tableAt(row: Row, placed: ReadonlyMap<Row, TableGrid>): TableGrid | null {
  if (row.segments.some((segment) => segment.words.length > 0)) return null
  const found = [...placed].find(([key]) => key.x0 === row.x0 && key.y0 === row.y0 && key.x1 === row.x1)
  return found?.[1] ?? null
}

function textBlocks(rows: readonly Row[], rulings: Rulings): LayoutBlock[] {
  const blocks: LayoutBlock[] = []
  let at = 0
  for (const { table, from, to } of streamTables(rows, rulings)) {
    blocks.push(...proseOf(rows.slice(at, from), rulings), table)
    at = to
  }
  return [...blocks, ...proseOf(rows.slice(at), rulings)]
}

const proseOf = (rows: readonly Row[], rulings: Rulings): LayoutBlock[] =>
  withFormulas(paragraphsOf(rows.map(lineOf)), rulings)

interface FiguresAndWords {
  readonly figures: readonly Figure[]
  readonly others: readonly Word[]
}

/** Threshold: mean letters per line. Above it, a picture shows running text rather than labels. */
const TEXT_LETTERS = 20

/**
 * Assigns recognised words to figures as labels. Returns the words outside figures, and those of running text. A word
 * in several figures belongs to the smallest, since the others are in the background.
 */
function withLabels(boxes: readonly Box[], words: readonly Word[]): FiguresAndWords {
  const own = Map.groupBy(words, (word) => smallest(boxes.filter((box) => holds(box, word))))
  const labels = new Map<Box | null, readonly Line[]>()
  for (const box of boxes) {
    const rows = rowsOf(own.get(box) ?? [])
    const lines = rows.flatMap(({ segments }) => segments.map((segment) => segment.words))
    const letters = lines.flat().reduce((sum, { text }) => sum + text.length, 0)
    if (letters < TEXT_LETTERS * lines.length) labels.set(box, rows.map(lineOf))
  }
  return {
    figures: boxes.map((box) => ({ kind: 'figure', box, lines: labels.get(box) ?? [] })),
    others: [...own].flatMap(([box, some]) => (labels.has(box) ? [] : some)),
  }
}

const areaOf = ({ x0, y0, x1, y1 }: Box): number => (x1 - x0) * (y1 - y0)

function smallest(boxes: readonly Box[]): Box | null {
  return boxes.toSorted((a, b) => areaOf(a) - areaOf(b))[0] ?? null
}

/** Text in pictures is neither a heading nor a table of the page, in any style. */
function insetBlocks(words: readonly Word[]): LayoutBlock[] {
  return words.length === 0 ? [] : paragraphsOf(rowsOf(words).map(lineOf))
}

/**
 * Inserts each block after the last block that ends above it in the same column. With `behindTitle`, a block with text
 * goes after the heading at the top of a page. A logo or a banner above it does not belong to the previous page's text.
 */
function withPlaced(
  blocks: readonly LayoutBlock[],
  placed: readonly LayoutBlock[],
  { behindTitle }: { readonly behindTitle: boolean },
): LayoutBlock[] {
  const out = [...blocks]
  const [first] = blocks
  for (const block of placed) {
    const { box } = block
    const above = out.findLastIndex(
      (other) => other.box.y1 <= box.y0 + 5 && shared(other.box.x0, other.box.x1, box.x0, box.x1) > 0,
    )
    const isSilent = block.kind === 'figure' && block.lines.length === 0
    const title = behindTitle && !isSilent && above < 0 && first?.kind === 'heading' ? out.indexOf(first) : -1
    out.splice(Math.max(above, title) + 1, 0, block)
  }
  return out
}
