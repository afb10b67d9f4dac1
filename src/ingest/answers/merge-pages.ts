import { extensionsFrom, type Block, type BlockPage, type ParsedMetadata, type ParsedPage } from '@sluice/contract'
import { type AnswerReading, readData } from '#src/client/read-answer.ts'
import {
  withRepeatedHeader,
  headingLevelsOf,
  withHeadingLevels,
  runningLinesOf,
  withoutRunningLines,
} from './page-context.ts'
import { type PageSegment, pageSegments } from './page-segments.ts'

/** An answer for some pages of a document: its first page is the first of `pages`. */
export interface BoughtAnswer {
  readonly pages: readonly number[]
  readonly reading: AnswerReading
}

export interface MergedPages {
  readonly reading: AnswerReading
  /** Maps each bought page to the index of its answer. */
  readonly from: ReadonlyMap<number, number>
}

interface MergedPage {
  readonly pageNumber: number
  readonly segment: PageSegment
  /** 0 for the engine's answer; the bought ones follow. */
  readonly answer: number
  /** Index of the segment in its answer. */
  readonly index: number
}

/**
 * Replaces pages of the engine's answer with the bought ones, and returns one answer for the document. Each page keeps
 * the boxes and the text of its parser. Facts that depend on other pages come from the engine's reading of the
 * document: running lines, levels of headings, headers of continued tables. If an answer is empty for a page with text
 * of the engine, that page stays unchanged.
 */
export function mergePages(
  local: AnswerReading,
  bought: readonly BoughtAnswer[],
  { pageMarkers }: { readonly pageMarkers: boolean },
  receivedAtMs: number,
): MergedPages {
  const localBlocks = local.data.blocks ?? []
  const lines = runningLinesOf(localBlocks)
  const levels = headingLevelsOf(localBlocks)
  const merged = mergedPages(local, bought)
  const reconciled = merged.map((page): MergedPage => {
    if (page.answer === 0) return page
    const text = withoutRunningLines(page.segment, lines)
    return { ...page, segment: withHeadingLevels(text, page.pageNumber, levels) }
  })
  for (const [at, page] of reconciled.entries()) {
    const before = reconciled[at - 1]
    if (before === undefined || before.answer === page.answer || page.answer === 0) continue
    reconciled[at] = { ...page, segment: withRepeatedHeader(before.segment, page.segment) }
  }
  const from = new Map(reconciled.flatMap(({ pageNumber, answer }) => (answer > 0 ? [[pageNumber, answer - 1]] : [])))
  return { reading: readingOf(reconciled, from, local, bought, pageMarkers, receivedAtMs), from }
}

function mergedPages(local: AnswerReading, bought: readonly BoughtAnswer[]): MergedPage[] {
  const replacing = new Map<number, MergedPage>()
  const locals = pageSegments(local).map((segment, index) => {
    const pageNumber = local.data.pages?.[index]?.pageNumber ?? index + 1
    return { pageNumber, segment, index }
  })
  const withText = new Set(locals.filter(({ segment }) => hasText(segment)).map(({ pageNumber }) => pageNumber))
  for (const [at, { pages, reading }] of bought.entries()) {
    const numbers = (reading.data.pages ?? reading.data.blocks ?? [{ pageNumber: 1 }]).map((page) => page.pageNumber)
    for (const [index, segment] of pageSegments(reading).entries()) {
      const pageNumber = pages[(numbers[index] ?? 0) - 1]
      if (pageNumber === undefined || replacing.has(pageNumber) || isFailed(segment)) continue
      if (withText.has(pageNumber) && !hasText(segment)) continue
      replacing.set(pageNumber, { pageNumber, segment, answer: at + 1, index })
    }
  }
  return locals.map((page) => replacing.get(page.pageNumber) ?? { ...page, answer: 0 })
}

const hasText = ({ text }: PageSegment): boolean => text.trim() !== ''

const isFailed = ({ blocks }: PageSegment): boolean => blocks?.status === 'failed'

function readingOf(
  merged: readonly MergedPage[],
  from: ReadonlyMap<number, number>,
  local: AnswerReading,
  bought: readonly BoughtAnswer[],
  pageMarkers: boolean,
  receivedAtMs: number,
): AnswerReading {
  const { markdown, starts } = joined(merged, pageMarkers)
  const readings = [local, ...bought.map(({ reading }) => reading)]
  const once = (field: 'links' | 'images'): readonly string[] | null => {
    const lists = readings.flatMap(({ data }) => data[field] ?? [])
    return readings.some(({ data }) => Array.isArray(data[field])) ? [...new Set(lists)] : null
  }
  const pageGrades = (local.extensions?.pageGrades ?? []).filter(({ pageNumber }) => !from.has(pageNumber))
  const [links, images] = [once('links'), once('images')]
  const warning = warningOf(local, bought, from)
  const { warning: _, ...data } = local.data
  const reading = readData(
    {
      ...data,
      markdown,
      pages: merged.map(({ pageNumber, segment }): ParsedPage => ({ pageNumber, markdown: segment.pageMarkdown })),
      blocks: merged.map((page, at) => blocksOf(page, starts[at] ?? 0)),
      ...(links === null ? {} : { links }),
      ...(images === null ? {} : { images }),
      ...(warning === null ? {} : { warning }),
      ...(local.extensions === null ? {} : { sluice: extensionsFrom(pageGrades, local.extensions.engine) }),
      metadata: metadataOf(local, bought),
    },
    receivedAtMs,
  )
  const dropped = readings.reduce((sum, { spans }) => sum + spans.dropped, 0)
  return { ...reading, spans: { unit: local.spans.unit, dropped: reading.spans.dropped + dropped } }
}

function metadataOf(local: AnswerReading, bought: readonly BoughtAnswer[]): ParsedMetadata {
  const credits = bought.map(({ reading }) => reading.creditsReported)
  const creditsUsed = credits.every((used) => used !== null) ? credits.reduce((sum, used) => sum + used, 0) : null
  return { ...local.data.metadata, creditsUsed } as ParsedMetadata
}

/** Warnings of the engine and the services about the pages in use. An answer without a page in use adds no warning. */
function warningOf(
  local: AnswerReading,
  bought: readonly BoughtAnswer[],
  from: ReadonlyMap<number, number>,
): string | null {
  const shown = new Set(from.values())
  const said = bought.flatMap(({ pages, reading: { data } }, at) =>
    shown.has(at) && typeof data.warning === 'string' && data.warning.trim() !== ''
      ? [`pages ${pages.join(', ')}: ${data.warning}`]
      : [],
  )
  const warning = localWarning(local.data.warning ?? null, new Set(from.keys()))
  const all = [...(warning === null ? [] : [warning]), ...said]
  return all.length === 0 ? null : all.join('; ')
}

/** The Markdown of the document, and the offset of each page in it. */
function joined(merged: readonly MergedPage[], pageMarkers: boolean): { markdown: string; starts: number[] } {
  let markdown = ''
  let last: MergedPage | null = null
  const starts = merged.map((page, at) => {
    if (pageMarkers && at > 0) markdown += `\n\n---\n\n<!-- page ${page.pageNumber} -->\n\n`
    else if (last !== null && page.segment.text !== '') markdown += between(last, page)
    const start = markdown.length
    markdown += page.segment.text
    if (page.segment.text !== '') last = page
    return start
  })
  return { markdown, starts }
}

/**
 * Separator of two consecutive pages. It comes from their answer, if the same answer has both in sequence. Otherwise a
 * space continues a paragraph, or a blank line starts a new one.
 */
function between(last: MergedPage, page: MergedPage): string {
  const { before } = page.segment
  if (last.answer === page.answer && before !== null && before.index === last.index) return before.text
  return goesOn(last.segment, page.segment) ? ' ' : '\n\n'
}

function goesOn(last: PageSegment, next: PageSegment): boolean {
  const [end, start] = [textOf(last).at(-1), textOf(next)[0]]
  return (
    end?.type === 'text' &&
    start?.type === 'text' &&
    last.text.endsWith(end.content) &&
    next.text.startsWith(start.content) &&
    /[\p{L}\p{N},]$/u.test(end.content) &&
    /^\p{Ll}/u.test(start.content)
  )
}

const textOf = ({ blocks }: PageSegment): Block[] =>
  (blocks?.items ?? []).filter(({ markdownSpan: span }) => span !== null && span[0] < span[1])

function blocksOf({ pageNumber, segment: { blocks } }: MergedPage, start: number): BlockPage {
  if (blocks === null) return { pageNumber, width: null, height: null, status: 'ok', items: [] }
  const items = blocks.items.map((block): Block => {
    const { markdownSpan: span } = block
    const id = `p${pageNumber}${/^p\d+(\..*)$/.exec(block.id)?.[1] ?? `.${block.id}`}`
    return { ...block, id, markdownSpan: span === null ? null : [span[0] + start, span[1] + start] }
  })
  return { ...blocks, pageNumber, items }
}

const SENTENCE = /These pages ([^:]+): ([\d, ]+?)( and \d+ more)?\.(?: |$)/g

/** The engine's warning without the bought pages: it no longer applies to them. */
function localWarning(warning: string | null, bought: ReadonlySet<number>): string | null {
  if (warning === null || warning.trim() === '') return null
  const left = warning.replaceAll(SENTENCE, (sentence, what: string, listed: string, more: string | undefined) => {
    const pages = listed.split(',').map(Number)
    const kept = pages.filter((page) => !bought.has(page))
    if (kept.length === pages.length || more !== undefined) return sentence
    return kept.length === 0 ? '' : `These pages ${what}: ${kept.join(', ')}. `
  })
  return left.trim() === '' ? null : left.trim()
}
