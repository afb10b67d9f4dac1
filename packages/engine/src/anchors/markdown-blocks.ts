/** A top-level block of this engine's Markdown. Blank lines separate blocks. */
export interface MarkdownBlock {
  readonly kind: 'heading' | 'table' | 'figure' | 'formula' | 'text'
  readonly start: number
  /** Exclusive end offset. The line break is not part of the block. */
  readonly end: number
  /** Level of a heading, 1 to 6. Otherwise 0. */
  readonly level: number
}

const HEADING = /^(#{1,6})(?:[ \t]|$)/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Yields the line range of each block. A list continues across blank lines to indented lines. */
export function* markdownBlocks(markdown: string): Generator<MarkdownBlock> {
  let start = -1
  let end = 0
  let fence: string | null = null
  for (let at = 0; at < markdown.length;) {
    const newline = markdown.indexOf('\n', at)
    const lineEnd = newline === -1 ? markdown.length : newline
    // A prefix is enough to detect the kind of a line, which may be megabytes long.
    const line = markdown.slice(at, Math.min(lineEnd, at + 200))
    const isBlank = line.trim() === '' && lineEnd - at <= 200
    const isHeading = fence === null && HEADING.test(line)
    const begins = fence === null && !isBlank && (start === -1 || isHeading)
    const isApart =
      start !== -1 && (isHeading || (isBlank && fence === null && !/^[ \t]/.test(markdown[lineEnd + 1] ?? '')))
    if (isApart) {
      yield blockOf(markdown, start, end)
      start = -1
    }
    if (begins) start = at
    if (!isBlank) end = lineEnd
    fence = fenceAfter(fence, line)
    if (isHeading) {
      yield blockOf(markdown, start, end)
      start = -1
    }
    at = lineEnd + 1
  }
  if (start !== -1) yield blockOf(markdown, start, end)
}

function fenceAfter(open: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1]
  if (mark === undefined) return open
  if (open === null) return mark
  return mark.startsWith(open) && line.trim() === mark ? null : open
}

function blockOf(markdown: string, start: number, end: number): MarkdownBlock {
  const head = markdown.slice(start, Math.min(end, start + 2000))
  const level = HEADING.exec(head)?.[1]?.length ?? 0
  return { kind: level > 0 ? 'heading' : kindOf(head, end - start), start, end, level }
}

function kindOf(head: string, length: number): MarkdownBlock['kind'] {
  if (head.startsWith('|')) return 'table'
  if (head.startsWith('$$')) return 'formula'
  return length === head.length && /^!\[[^\]]*\]\([^)\s]*\)$/.test(head) ? 'figure' : 'text'
}
