import type { Span } from './chunk.ts'
import { isBreakOfTable, isDelimiterAt, type Line, lineAfter, lineAt } from './markdown-lines.ts'

/** A block in a list item or a quote, with the markers before it; `item` is prose that starts with a list marker. */
export interface NestedBlock {
  readonly kind: 'table' | 'code' | 'prose' | 'item'
  readonly start: number
  readonly end: number
}

/** A line after the marks of its containers. */
interface InnerLine {
  readonly line: Line
  /** Offset of its first character after indent, quote marks and, unless it continues a block, list markers. */
  readonly content: number
  readonly quotes: number
  readonly hasMarker: boolean
}

/**
 * Parses tables, code and paragraphs of a list item or a quote, in order; blank lines and bare quote marks belong to
 * none.
 */
export function nestedBlocks(text: string, { start, end }: { start: number; end: number }): readonly NestedBlock[] {
  const lines = innerLines(text, start, end)
  const blocks: NestedBlock[] = []
  for (let at = 0; at < lines.length;) {
    const first = lines[at] as InnerLine
    if (isEmpty(first)) {
      at += 1
      continue
    }
    const kind = kindAt(text, lines, at)
    const next = ENDS[kind](text, lines, at)
    const last = lines.slice(at, next).findLast((line) => !isEmpty(line)) ?? first
    blocks.push({ kind, start: first.line.start, end: last.line.end })
    at = next
  }
  return blocks
}

const isEmpty = ({ content, line, hasMarker }: InnerLine): boolean => content >= line.end && !hasMarker

function innerLines(text: string, start: number, end: number): readonly InnerLine[] {
  const lines: InnerLine[] = []
  for (let line = lineAt(text, start); line !== null && line.start < end; line = lineAfter(text, line)) {
    const cut = { ...line, start: Math.max(line.start, start), end: Math.min(line.end, end) }
    lines.push(innerLine(text, cut, true))
  }
  return lines
}

function innerLine(text: string, line: Line, withMarkers: boolean): InnerLine {
  let at = line.start
  let quotes = 0
  let hasMarker = false
  for (; at < line.end; at++) {
    const character = text[at]
    if (character === '>') quotes += 1
    else if (character !== ' ' && character !== '\t' && character !== '\r') {
      const marker = withMarkers ? markerAt(text, at, line.end) : 0
      if (marker === 0) break
      hasMarker = true
      at += marker - 1
    }
  }
  return { line, content: at, quotes, hasMarker }
}

/** Length of a list marker with the space after it, else 0. */
function markerAt(text: string, at: number, end: number): number {
  return /^(?:[-*+]|\d{1,9}[.)])(?=[ \t])[ \t]/.exec(text.slice(at, Math.min(end, at + 12)))?.[0].length ?? 0
}

function kindAt(text: string, lines: readonly InnerLine[], at: number): NestedBlock['kind'] {
  const { content, line, hasMarker } = lines[at] as InnerLine
  if (isFenceAt(text, content)) return 'code'
  const next = lines[at + 1]
  if (
    next !== undefined &&
    isDelimiterAt(text, { header: [content, line.end], delimiter: [bare(text, next), next.line.end] })
  ) {
    return 'table'
  }
  return hasMarker ? 'item' : 'prose'
}

/** Strips indent and quote marks only: a line that continues a block has no list marker. */
const bare = (text: string, { line }: InnerLine): number => innerLine(text, line, false).content

const isFenceAt = (text: string, at: number): boolean => text.startsWith('```', at) || text.startsWith('~~~', at)

type End = (text: string, lines: readonly InnerLine[], at: number) => number

/** Functions that return the first line after the block that starts at `at`. */
const ENDS: Readonly<Record<NestedBlock['kind'], End>> = {
  code: (text, lines, at) => {
    const { content, line, quotes } = lines[at] as InnerLine
    const fence = /^(?:`+|~+)/.exec(text.slice(content, line.end))?.[0] ?? '```'
    for (let next = at + 1; next < lines.length; next++) {
      const inner = innerLine(text, (lines[next] as InnerLine).line, false)
      if (inner.quotes < quotes && !inner.line.isBlank) return next
      const rest = text.slice(inner.content, inner.line.end)
      if (rest.startsWith(fence) && /^[`~]+\s*$/.test(rest)) return next + 1
    }
    return lines.length
  },
  table: (text, lines, at) => {
    const { quotes } = lines[at] as InnerLine
    for (let next = at + 2; next < lines.length; next++) {
      const inner = innerLine(text, (lines[next] as InnerLine).line, false)
      const isRow = inner.content < inner.line.end && inner.quotes === quotes
      if (!isRow || isBreakOfTable(text, { ...inner.line, start: inner.content, text: inner.content })) return next
    }
    return lines.length
  },
  prose: endOfProse,
  item: endOfProse,
}

function endOfProse(text: string, lines: readonly InnerLine[], at: number): number {
  for (let next = at + 1; next < lines.length; next++) {
    if (isEmpty(lines[next] as InnerLine) || kindAt(text, lines, next) !== 'prose') return next
  }
  return lines.length
}

/** Line to repeat above a later part of its block: with its quote marks, without indent and list markers. */
export function repeatedLine(text: string, line: Line): string {
  const { content, quotes } = innerLine(text, line, true)
  return '> '.repeat(quotes) + text.slice(content, line.end)
}

/** Pipes that replace the cells before `at` in a row, so that the rest keeps its column. */
export function leadOfRow(text: string, [start, at]: Span): string {
  if (at <= start) return ''
  const before = text.slice(start, at)
  const quotes = /^[\s>]*/.exec(before)?.[0].split('>').length ?? 1
  const pipes = before.match(/\\.|\|/gs)?.filter((found) => found === '|').length ?? 0
  const hasFirst = /^[\s>]*\|/.test(before)
  return '> '.repeat(quotes - 1) + '| '.repeat(hasFirst ? pipes : pipes + 1)
}
