import type { TextBlock } from './block.ts'
import { median } from '../geometry/box.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/** Style of a heading, which decides its level. */
export interface HeadingStyle {
  /** In points, rounded to halves. */
  readonly size: number
  /** Ratio to the size of the body text. */
  readonly timesText: number
  readonly bold: boolean
  /** True for text from OCR, whose sizes are estimates. */
  readonly recognised: boolean
  /** Number of components in its section number: 2 for `5.1 Method`. Null without a number. */
  readonly depth: number | null
  /** Depth in the file's outline, from 1. Null if the outline does not list it. */
  readonly named: number | null
}

/** A heading with its position in the document. */
export interface PlacedHeading {
  readonly style: HeadingStyle
  /** Page index, from 0. */
  readonly page: number
  /** True for the first text of a landscape page, the title of a slide. */
  readonly slideTitle: boolean
  /** True if text of some length precedes it on its page. */
  readonly belowText: boolean
  /** True if it equals the title in the file's metadata. */
  readonly statedTitle: boolean
}

const BOLD = 600
const DEEPEST = 6
/** Threshold of the relative size difference, for native and for recognised text. Sizes below it are equal. */
const SAME_SIZE = 0.06
const SAME_SIZE_RECOGNISED = 0.15
const NUMBERS = /^\(?((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)[.)]?\s+\S/
const WORDED = /^(?:Appendix|Chapter|Section)\s+((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)[.:)]?(?:\s|$)/

export function headingStyle(block: TextBlock, bodySize: number): HeadingStyle {
  const words = block.lines.flat()
  const size = sizeOf(words)
  return {
    size: Math.round(size * 2) / 2,
    timesText: bodySize > 0 ? size / bodySize : 1,
    bold: words.every((word) => word.weight >= BOLD),
    recognised: words.some((word) => word.confidence !== null),
    depth: depthOf(block.lines.map(lineText).join(' ')),
    named: block.depth ?? null,
  }
}

/** Parses section numbers such as `3`, `A.2` and `5.1.2`. `2019` is a year, and `(1)` and `A` are ambiguous. */
function depthOf(text: string): number | null {
  const [, numbers] = WORDED.exec(text) ?? NUMBERS.exec(text) ?? []
  if (numbers === undefined || text.startsWith('(') || /^[A-Z]$/.test(numbers)) return null
  return numbers.split('.').length
}

/**
 * Returns a level from 1 to 6 for each heading. Level 1 is the document's title and the titles of slides. Sections
 * start at level 2, larger glyphs above smaller ones and bold above regular. Numbers override style: `5.1` is one level
 * below `5`. An outline in the file overrides both.
 */
export function headingLevels(headings: readonly PlacedHeading[]): number[] {
  const levels = headings.some(({ style }) => style.named !== null) ? byOutline(headings) : byPrint(headings)
  return levels.map((level) => Math.min(DEEPEST, Math.max(1, level)))
}

/**
 * Takes levels from the outline's depths, one deeper if only the print has a title. A title from the metadata does not
 * shift them, as front matter does not. A heading outside the outline takes the median level of headings in the same
 * style, or the level below the previous one.
 */
function byOutline(headings: readonly PlacedHeading[]): number[] {
  const named = headings.flatMap(({ style }) => (style.named === null ? [] : [{ style, depth: style.named }]))
  const title = printedTitle(headings)
  const shift = title === null || title.statedTitle ? 0 : 1
  const open: { readonly depth: number; readonly level: number; readonly numbers: number | null }[] = []
  return headings.map((heading) => {
    const { style } = heading
    if (heading === title) return 1
    if (style.named === null) {
      const alike = named.filter((other) => looksLike(other.style, style)).map(({ depth }) => depth)
      return alike.length > 0 ? median(alike) + shift : (open.at(-1)?.level ?? shift) + 1
    }
    while ((open.at(-1)?.depth ?? 0) >= style.named) open.pop()
    const parent = open.at(-1)
    // Outlines cannot skip a level, so `2.1.1` directly below `2` is still two levels deeper.
    const skipped = Math.max(0, (style.depth ?? 0) - (parent?.numbers ?? Infinity) - 1)
    const level = (parent === undefined ? style.named + shift : parent.level + 1) + skipped
    open.push({ depth: style.named, level, numbers: style.depth })
    return level
  })
}

/** Returns a heading of page 1 that precedes all headings of the outline and is larger than each. */
function printedTitle(headings: readonly PlacedHeading[]): PlacedHeading | null {
  const first = headings.findIndex(({ style }) => style.named !== null)
  const largest = Math.max(...headings.map(({ style }) => (style.named === null ? 0 : style.size)))
  const before = headings
    .slice(0, first)
    .filter(({ page, style }) => page === 0 && style.size > largest * (1 + SAME_SIZE))
  return before.sort((a, b) => b.style.size - a.style.size)[0] ?? null
}

function looksLike(a: HeadingStyle, b: HeadingStyle): boolean {
  return a.bold === b.bold && Math.abs(a.size - b.size) <= sameSize(a) * a.size
}

function byPrint(headings: readonly PlacedHeading[]): number[] {
  const titles = titlesOf(headings)
  const sections = headings.filter((heading) => !titles.has(heading))
  const ranks = ranksOf(sections.map(({ style }) => style))
  const numbered = numberedLevels(sections, ranks)
  return headings.map((heading) => {
    if (titles.has(heading)) return 1
    const { depth } = heading.style
    const level = depth === null ? ranks(heading.style) : numbered(depth)
    return Math.max(2, level)
  })
}

/**
 * Threshold: ratio to the size of the text. Sections of LaTeX and Word are at most this large, and titles are larger.
 */
const LARGEST_SECTION = 1.5

/** Returns the titles of slides, or the only heading of the largest size above the text of the first page. */
function titlesOf(headings: readonly PlacedHeading[]): ReadonlySet<PlacedHeading> {
  const slides = headings.filter((heading) => heading.slideTitle)
  if (slides.length > 1) return new Set(slides)
  const [only, ...others] = headings
  // No other heading confirms a title. It may be a section of the page's source.
  if (only !== undefined && others.length === 0 && isLikeSection(only)) return new Set()
  const largest = Math.max(...headings.map(({ style }) => style.size))
  const large = headings.filter(({ style }) => style.size >= largest * (1 - sameSize(style)))
  return new Set(large.filter(({ page, belowText }) => large.length === 1 && page === 0 && !belowText))
}

const isLikeSection = ({ style, slideTitle, statedTitle }: PlacedHeading): boolean =>
  !slideTitle && !statedTitle && (style.depth !== null || style.timesText < LARGEST_SECTION)

/**
 * Returns a level by style: 2 for the largest, one more for each smaller size, and for regular after bold of one size.
 */
function ranksOf(styles: readonly HeadingStyle[]): (style: HeadingStyle) => number {
  const steps: HeadingStyle[] = []
  for (const style of [...styles].sort(byLetters)) {
    const last = steps.at(-1)
    if (last === undefined || last.size - style.size > sameSize(style) * last.size || last.bold !== style.bold)
      steps.push(style)
  }
  return (style) => 1 + steps.filter((step) => byLetters(step, style) <= 0).length
}

const sameSize = ({ recognised }: HeadingStyle): number => (recognised ? SAME_SIZE_RECOGNISED : SAME_SIZE)

function byLetters(a: HeadingStyle, b: HeadingStyle): number {
  return b.size - a.size || Number(b.bold) - Number(a.bold)
}

/**
 * Returns the level for each depth of section number (1, 1.2). The shallowest depth has the median level that its
 * headings have by their style; each deeper one follows.
 */
function numberedLevels(
  headings: readonly PlacedHeading[],
  ranks: (style: HeadingStyle) => number,
): (depth: number) => number {
  const depths = headings.flatMap(({ style }) => style.depth ?? [])
  const least = Math.min(...depths)
  const levels = headings.filter(({ style }) => style.depth === least).map(({ style }) => ranks(style))
  const top = levels.sort((a, b) => a - b)[Math.floor(levels.length / 2)] ?? 2
  return (depth) => top + depth - least
}
