import type { LayoutBlock, Line, TextBlock } from './block.ts'
import { union } from '../geometry/box.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/** Headings that the file itself names, by `headingKey` of their titles. */
export type NamedHeadings = ReadonlyMap<string, NamedHeading>

export interface NamedHeading {
  readonly depth: number
  /** How often the page may hold it. */
  readonly times: number
}

const MOST_LINES = 5
/** So many named headings in a row, without text between them, are a table of contents. */
const CONTENTS_RUN = 4
const SECTION_NUMBER = /^(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])[.)]?\s+(?=\S)/

/** The letters and digits of a title: outlines and print differ in spaces, dashes and case. */
export function headingKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Titles with and without their numbers: LaTeX prints a number that its outline leaves out. */
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

/** Blocks as they are, or the heading that was made of the blocks `before`. */
type Piece =
  | { readonly kind: 'other'; readonly block: LayoutBlock }
  | { readonly kind: 'named'; readonly found: Found; readonly before: readonly LayoutBlock[] }

/** Makes headings of the lines that the file names as such: parts of paragraphs, and lines that came as several blocks. */
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

/** The block that the heading was cut out of, without what follows it in `pieces` as a piece of its own. */
function lastBefore({ found, before }: Extract<Piece, { readonly kind: 'named' }>): readonly LayoutBlock[] {
  const last = before.at(-1)
  if (last === undefined || found.rest.length === 0 || last.kind === 'table' || last.kind === 'figure')
    return last === undefined ? [] : [last]
  const lines = last.lines.slice(0, last.lines.length - (found.rest[0]?.lines.length ?? 0))
  return [{ ...last, lines, box: union(lines.flat()) }]
}

/** Of what is printed more often than it is named, that in the smaller letters. */
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

/** How many named headings stand in a row around one of them. */
function runAround(pieces: readonly Piece[], index: number): number {
  const start = pieces.slice(0, index).findLastIndex(({ kind }) => kind !== 'named') + 1
  const length = pieces.slice(start).findIndex(({ kind }) => kind !== 'named')
  return length < 0 ? pieces.length - start : length
}

interface Found {
  readonly key: string
  readonly heading: TextBlock
  /** Blocks that its lines came from, and what is left of the last of them. */
  readonly taken: number
  readonly rest: readonly TextBlock[]
}

/** The heading that the first lines of `blocks` make, up to the longest title. */
function headingAt(blocks: readonly LayoutBlock[], named: NamedHeadings, longest: number): Found | null {
  const lines: Line[] = []
  for (const [index, block] of blocks.slice(0, 3).entries()) {
    if (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'list_item') return null
    const own = linesOf(block)
    for (const [at, line] of own.entries()) {
      lines.push(line)
      const text = lines.map(lineText).join(' ')
      if (lines.length > MOST_LINES || headingKey(text).length > longest + 8) return null
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

/** With the marker, which may be the number of a section. */
function linesOf(block: Exclude<LayoutBlock, { readonly kind: 'table' | 'figure' }>): readonly Line[] {
  const [first, ...others] = block.lines
  const [word] = first ?? []
  if (block.kind !== 'list_item' || first === undefined || word === undefined) return block.lines
  return [[{ ...word, text: block.marker }, ...first], ...others]
}
