import type { LayoutBlock, Line, TextBlock } from './block.ts'
import { union } from '../geometry/box.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/** Headings in the file's outline, indexed by `headingKey` of their titles. */
export type NamedHeadings = ReadonlyMap<string, NamedHeading>

export interface NamedHeading {
  readonly depth: number
  /** Number of times that the page may contain it. */
  readonly times: number
}

const MAX_LINES = 5
/** Threshold: number of consecutive outline headings without text between them. More are a table of contents. */
const CONTENTS_RUN = 4
const SECTION_NUMBER = /^(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.)]?\s+(?=\S)/

/** Normalizes a title to its letters and digits. Outlines and print differ in spaces, dashes and case. */
export function headingKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Indexes titles with and without their numbers. LaTeX prints a number that its outline omits. */
export function namedHeadings(entries: readonly { readonly title: string; readonly depth: number }[]): NamedHeadings {
  const keys = new Map<string, NamedHeading>()
  for (const { title, depth } of entries) {
    for (const key of new Set([title, title.replace(SECTION_NUMBER, '')].map(headingKey))) {
      const known = keys.get(key)
      if (/\p{L}.*\p{L}/u.test(key)) keys.set(key, { depth: known?.depth ?? depth, times: (known?.times ?? 0) + 1 })
    }
  }
  return keys
}

/** An unchanged block, or a heading made from the blocks `before`. */
type Piece =
  | { readonly kind: 'other'; readonly block: LayoutBlock }
  | { readonly kind: 'named'; readonly found: Found; readonly before: readonly LayoutBlock[] }

/** Turns lines that the outline lists into headings, as parts of paragraphs or across several blocks. */
export function withNamedHeadings(blocks: readonly LayoutBlock[], named: NamedHeadings): LayoutBlock[] {
  if (named.size === 0) return [...blocks]
  const longest = Math.max(...[...named.keys()].map((key) => key.length))
  const pieces: Piece[] = []
  let queue = [...blocks]
  for (let [first] = queue; first !== undefined; [first] = queue) {
    const found = headingAt(queue, named, longest)
    if (found === null) pieces.push({ kind: 'other', block: first })
    else pieces.push({ kind: 'named', found, before: queue.slice(0, found.taken) })
    queue = found === null ? queue.slice(1) : [...found.rest, ...queue.slice(found.taken)]
  }
  const surplus = surplusOf(pieces, named)
  return pieces.flatMap((piece, index): readonly LayoutBlock[] => {
    if (piece.kind === 'other') return [piece.block]
    const isHeading = !surplus.has(piece.found) && runAround(pieces, index) < CONTENTS_RUN
    return isHeading ? [piece.found.heading] : [...piece.before.slice(0, -1), ...lastBefore(piece)]
  })
}

/** Returns the source block of the heading without its remaining lines, which are a separate piece in `pieces`. */
function lastBefore({ found, before }: Extract<Piece, { readonly kind: 'named' }>): readonly LayoutBlock[] {
  const last = before.at(-1)
  if (last === undefined || found.rest.length === 0 || last.kind === 'table' || last.kind === 'figure')
    return last === undefined ? [] : [last]
  const lines = last.lines.slice(0, last.lines.length - (found.rest[0]?.lines.length ?? 0))
  return [{ ...last, lines, box: union(lines.flat()) }]
}

/** If a title appears more often than the outline lists it, returns the matches in the smaller glyph size. */
function surplusOf(pieces: readonly Piece[], named: NamedHeadings): ReadonlySet<Found> {
  const byKey = Map.groupBy(
    pieces.flatMap((piece) => (piece.kind === 'named' ? [piece.found] : [])),
    ({ key }) => key,
  )
  const size = ({ heading }: Found): number => sizeOf(heading.lines.flat())
  return new Set(
    [...byKey].flatMap(([key, found]) => found.sort((a, b) => size(b) - size(a)).slice(named.get(key)?.times ?? 0)),
  )
}

/** Returns the number of consecutive outline headings around one of them. */
function runAround(pieces: readonly Piece[], index: number): number {
  const start = pieces.slice(0, index).findLastIndex(({ kind }) => kind !== 'named') + 1
  const length = pieces.slice(start).findIndex(({ kind }) => kind !== 'named')
  return length < 0 ? pieces.length - start : length
}

interface Found {
  readonly key: string
  readonly heading: TextBlock
  /** Number of source blocks, and the rest of the last one. */
  readonly taken: number
  readonly rest: readonly TextBlock[]
}

/** Matches the first lines of `blocks` to a heading, up to the longest title. */
function headingAt(blocks: readonly LayoutBlock[], named: NamedHeadings, longest: number): Found | null {
  const lines: Line[] = []
  for (const [index, block] of blocks.slice(0, 3).entries()) {
    if (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'list_item') return null
    const own = linesOf(block)
    for (const [at, line] of own.entries()) {
      lines.push(line)
      const text = lines.map(lineText).join(' ')
      if (lines.length > MAX_LINES || headingKey(text).length > longest + 8) return null
      const keys = [text, text.replace(SECTION_NUMBER, '')].map(headingKey)
      const key = keys.find((one) => named.has(one))
      const depth = key === undefined ? undefined : named.get(key)?.depth
      if (key === undefined || depth === undefined) continue
      const left = own.slice(at + 1)
      const rest: TextBlock[] = left.length === 0 ? [] : [{ kind: 'paragraph', box: union(left.flat()), lines: left }]
      return { key, heading: { kind: 'heading', box: union(lines.flat()), lines, depth }, taken: index + 1, rest }
    }
  }
  return null
}

/** Includes the marker, which may be a section number. */
function linesOf(block: Exclude<LayoutBlock, { readonly kind: 'table' | 'figure' }>): readonly Line[] {
  const [first, ...others] = block.lines
  const [word] = first ?? []
  if (block.kind !== 'list_item' || first === undefined || word === undefined) return block.lines
  return [[{ ...word, text: block.marker }, ...first], ...others]
}
