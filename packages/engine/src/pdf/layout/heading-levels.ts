import type { TextBlock } from './block.ts'
import { median } from '../geometry/box.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/** How a heading looks: what its level is decided by. */
export interface HeadingStyle {
  /** In points, in steps of a half. */
  readonly size: number
  /** How many times as large as the text. */
  readonly timesText: number
  readonly bold: boolean
  /** By OCR: sizes are estimates. */
  readonly recognised: boolean
  /** Numbers that it starts with: 2 for `5.1 Method`; null for one without a number. */
  readonly depth: number | null
  /** Depth in the outline of the file, from 1; null for a heading that it does not name. */
  readonly named: number | null
}

/** A heading at its place in the document. */
export interface PlacedHeading {
  readonly style: HeadingStyle
  /** From 0, in pages. */
  readonly page: number
  /** The first text of a page that is wider than high: the title of a slide. */
  readonly slideTitle: boolean
  /** Text of some length stands before it on its page. */
  readonly belowText: boolean
  /** It says what the metadata of the file gives as the document's title. */
  readonly statedTitle: boolean
}

const BOLD = 600
const DEEPEST = 6
/** Sizes that differ by less are one. */
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

/** `3`, `A.2` and `5.1.2` are numbers of sections; `2019` is a year, and `(1)` and `A` may be anything. */
function depthOf(text: string): number | null {
  const [, numbers] = WORDED.exec(text) ?? NUMBERS.exec(text) ?? []
  if (numbers === undefined || text.startsWith('(') || /^[A-Z]$/.test(numbers)) return null
  return numbers.split('.').length
}

/**
 * Levels 1 to 6, one for each heading. Level 1 is the document's title and the titles of slides; sections begin below it, larger
 * letters above smaller ones and bold above regular. Numbers say more than letters: `5.1` stands one below `5`, whatever they look
 * like. An outline in the file says more than both.
 */
export function headingLevels(headings: readonly PlacedHeading[]): number[] {
  const levels = headings.some(({ style }) => style.named !== null) ? byOutline(headings) : byPrint(headings)
  return levels.map((level) => Math.min(DEEPEST, Math.max(1, level)))
}

/**
 * The outline's own depths, one deeper below a title that only the print shows; a title of the metadata stands beside them, as
 * front matter does. A heading between the entries has the level of those that look like it, or stands below the one before it.
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
    // Outlines cannot skip a level: `2.1.1` right below `2` is two levels deeper all the same.
    const skipped = Math.max(0, (style.depth ?? 0) - (parent?.numbers ?? Infinity) - 1)
    const level = (parent === undefined ? style.named + shift : parent.level + 1) + skipped
    open.push({ depth: style.named, level, numbers: style.depth })
    return level
  })
}

/** A heading of page 1 before all that the outline names, and larger than any of them. */
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

/** Sections of LaTeX and of Word are at most this many times as large as the text, and titles are larger. */
const LARGEST_SECTION = 1.5

/** The titles of slides, or the one heading above the text of the first page whose letters no other heading reaches. */
function titlesOf(headings: readonly PlacedHeading[]): ReadonlySet<PlacedHeading> {
  const slides = headings.filter((heading) => heading.slideTitle)
  if (slides.length > 1) return new Set(slides)
  const [only, ...others] = headings
  // Nothing below it says that it is a title: it may be a section of what the page was taken from.
  if (only !== undefined && others.length === 0 && isLikeSection(only)) return new Set()
  const largest = Math.max(...headings.map(({ style }) => style.size))
  const large = headings.filter(({ style }) => style.size >= largest * (1 - sameSize(style)))
  return new Set(large.filter(({ page, belowText }) => large.length === 1 && page === 0 && !belowText))
}

const isLikeSection = ({ style, slideTitle, statedTitle }: PlacedHeading): boolean =>
  !slideTitle && !statedTitle && (style.depth !== null || style.timesText < LARGEST_SECTION)

/** Level by letters: 2 for the largest, one more for each smaller size and for what is not bold within one size. */
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

/** Level of numbered headings by depth: the least deep ones keep the level that most of them have by their letters. */
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
