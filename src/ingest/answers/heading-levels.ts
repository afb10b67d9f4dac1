import type { Block, BlockPage } from '#src/contract/response.ts'
import { type Edit, edited, type PageSegment } from './page-segments.ts'

/*
 * The level of a heading follows from the other headings of its document. A bought page is read without them: its
 * headings take the level that the same heading has in the engine's reading, else that of others numbered alike, else
 * they come below the title.
 */

interface Heading {
  readonly block: Block
  readonly level: number
  readonly text: string
}

export interface HeadingLevels {
  /** Depth of the number (`3.2` has 2) → level. */
  readonly byDepth: ReadonlyMap<number, number>
  /** First page with a heading of level 1; null where there is none. */
  readonly titlePage: number | null
  readonly ofPage: (pageNumber: number) => ReadonlyMap<string, number>
}

const HEADING = /^(#{1,6})\s+(\S.*)$/s
const NUMBER = /^(\d+(?:\.\d+)*)\.?\s/

function headingsOf(page: BlockPage): Heading[] {
  return page.items.flatMap((block) => {
    const heading = HEADING.exec(block.content)
    return heading === null ? [] : [{ block, level: heading[1]?.length ?? 1, text: heading[2] ?? '' }]
  })
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
const depthOf = (text: string): number => NUMBER.exec(text)?.[1]?.split('.').length ?? 0

/** What the engine's reading of the whole document says of levels. */
export function headingLevelsOf(pages: readonly BlockPage[]): HeadingLevels {
  const counts = new Map<number, Map<number, number>>()
  const byPage = new Map<number, Map<string, number>>()
  let titlePage: number | null = null
  for (const page of pages) {
    const own = new Map<string, number>()
    for (const { level, text } of headingsOf(page)) {
      own.set(plain(text), level)
      if (level === 1) titlePage ??= page.pageNumber
      const levels = counts.get(depthOf(text)) ?? new Map<number, number>()
      counts.set(depthOf(text), levels.set(level, (levels.get(level) ?? 0) + 1))
    }
    byPage.set(page.pageNumber, own)
  }
  const byDepth = new Map(
    [...counts].flatMap(([depth, levels]) => (depth === 0 ? [] : [[depth, mostOften(levels)] as const])),
  )
  return { byDepth, titlePage, ofPage: (page) => byPage.get(page) ?? new Map() }
}

function mostOften(counts: ReadonlyMap<number, number>): number {
  return [...counts].toSorted(([a, one], [b, other]) => other - one || a - b)[0]?.[0] ?? 2
}

/** The page with its headings at the levels that they have in the document. */
export function withHeadingLevels(segment: PageSegment, pageNumber: number, levels: HeadingLevels): PageSegment {
  if (segment.blocks === null) return segment
  const headings = headingsOf(segment.blocks)
  const same = levels.ofPage(pageNumber)
  // Below the title where an earlier page has it; on its page, or without one, the levels stay.
  const highest = Math.min(...headings.map(({ level }) => level))
  const lower = levels.titlePage !== null && levels.titlePage < pageNumber && highest === 1 ? 1 : 0
  const edits = headings.flatMap(({ block, level, text }): Edit[] => {
    const known = same.get(plain(text)) ?? levels.byDepth.get(depthOf(text)) ?? level + lower
    const wanted = Math.min(known, 6)
    const { markdownSpan: span } = block
    if (span === null || wanted === level || segment.text.slice(...span) !== block.content) return []
    return [{ start: span[0], end: span[0] + level, text: '#'.repeat(wanted) }]
  })
  return edited(segment, edits)
}
