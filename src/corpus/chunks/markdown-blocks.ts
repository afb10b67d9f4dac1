import {
  type Line,
  lineAt,
  lineAfter,
  headingOf,
  isBreakOfTable,
  isDelimiterAt,
  isFence,
  isListItem,
  isPageMarker,
  isQuote,
  isRule,
  opensComment,
  opensHtml,
} from './markdown-lines.ts'

/** Top-level block of a document, from the start of its first line to the end of its last one. */
export interface MarkdownBlock {
  readonly kind: 'heading' | 'paragraph' | 'quote' | 'list' | 'code' | 'table' | 'html'
  readonly start: number
  readonly end: number
  /** 1 to 6 for a heading; else 0. */
  readonly level: number
}

/**
 * Parser for the top-level blocks of GitHub Flavored Markdown, in one pass over the lines. Blank lines and page markers
 * belong to no block. If it deviates from the standard in a corner case, a chunk ends at another line, but no text is
 * lost.
 */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  const htmlEnds = new HtmlEnds(text)
  const front = frontMatter(text)
  if (front !== null) blocks.push(front)
  let line = lineAt(text, front === null ? 0 : front.end + 1)
  while (line !== null) {
    if (line.isBlank || isPageMarker(text, line)) {
      line = lineAfter(text, line)
      continue
    }
    const block = blockAt(text, line, htmlEnds)
    blocks.push(block)
    line = block.end < text.length ? lineAt(text, block.end + 1) : null
  }
  return blocks
}

/** YAML between `---` and `---` at the start of a text: not a heading, though its last line is underlined. */
function frontMatter(text: string): MarkdownBlock | null {
  const found = /^---[ \t]*\r?\n(?:[\w-]+:|#)[\s\S]*?\n---[ \t]*\r?(?=\n|$)/.exec(text)
  return found === null ? null : { kind: 'html', start: 0, end: found[0].length, level: 0 }
}

function blockAt(text: string, line: Line, htmlEnds: HtmlEnds): MarkdownBlock {
  const level = headingOf(text, line)
  if (level > 0) return { kind: 'heading', start: line.start, end: line.end, level }
  if (isFence(text, line)) return plain('code', line, endOfCode(text, line))
  if (isListItem(text, line)) return plain('list', line, endOfList(text, line))
  if (isQuote(text, line)) return plain('quote', line, endOfQuote(text, line))
  if (startsTable(text, line)) return plain('table', line, endOfTable(text, line))
  if (opensHtml(text, line)) return plain('html', line, htmlEnds.of(line))
  return paragraphAt(text, line)
}

const plain = (kind: MarkdownBlock['kind'], { start }: Line, end: number): MarkdownBlock => ({
  kind,
  start,
  end,
  level: 0,
})

function startsTable(text: string, line: Line): boolean {
  const pipe = text.indexOf('|', line.start)
  if (pipe === -1 || pipe >= line.end) return false
  const next = lineAfter(text, line)
  return next !== null && isDelimiterAt(text, { header: [line.text, line.end], delimiter: [next.text, next.end] })
}

function endOfTable(text: string, first: Line): number {
  let last = lineAfter(text, first) ?? first
  for (let line = lineAfter(text, last); line !== null && !line.isBlank; line = lineAfter(text, line)) {
    if (isBreakOfTable(text, line)) break
    last = line
  }
  return last.end
}

function endOfCode(text: string, first: Line): number {
  const fence = text.slice(first.text, first.end).match(/^(`+|~+)/)?.[1] ?? '```'
  let last = first
  for (let line = lineAfter(text, first); line !== null; line = lineAfter(text, line)) {
    if (!line.isBlank) last = line
    if (text.startsWith(fence, line.text) && /^[`~]+\s*$/.test(text.slice(line.text, line.end))) return line.end
  }
  return last.end
}

/** A list continues over blank lines to the next item, or to text indented below one. */
function endOfList(text: string, first: Line): number {
  let last = first
  let afterBlank = false
  for (let line = lineAfter(text, first); line !== null; line = lineAfter(text, line)) {
    if (line.isBlank) {
      afterBlank = true
      continue
    }
    const isIndented = line.text - line.start >= 2
    const item = isListItem(text, line)
    if (!item && !isIndented && (afterBlank || interrupts(text, line))) break
    last = line
    afterBlank = false
  }
  return last.end
}

/** A quote continues over lines without a mark that start no other block. */
function endOfQuote(text: string, first: Line): number {
  let last = first
  for (let line = lineAfter(text, first); line !== null && !line.isBlank; line = lineAfter(text, line)) {
    if (!isQuote(text, line) && interrupts(text, line)) break
    last = line
  }
  return last.end
}

/** A single line above `===` or `---` is a heading. */
function paragraphAt(text: string, first: Line): MarkdownBlock {
  let last = first
  for (let line = lineAfter(text, first); line !== null && !line.isBlank; line = lineAfter(text, line)) {
    if (last === first && /^(=+|-{2,})\s*$/.test(text.slice(line.text, Math.min(line.end, line.text + 200)))) {
      return { kind: 'heading', start: first.start, end: line.end, level: text[line.text] === '=' ? 1 : 2 }
    }
    if (interrupts(text, line)) break
    last = line
  }
  return plain('paragraph', first, last.end)
}

const interrupts = (text: string, line: Line): boolean =>
  headingOf(text, line) > 0 ||
  isFence(text, line) ||
  isListItem(text, line) ||
  isRule(text, line) ||
  isPageMarker(text, line) ||
  isQuote(text, line) ||
  opensComment(text, line) ||
  startsTable(text, line)

/** Elements with raw content instead of Markdown, blank lines included. */
const RAW = new Set(['table', 'pre', 'script', 'style', 'textarea'])

/** Finds the ends of HTML blocks. It caches failed searches, so a scan takes one pass per tag. */
class HtmlEnds {
  readonly #text: string
  readonly #missing = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  /** A comment and a raw element end at their closing tag; others, and unclosed ones, at a blank line. */
  of(first: Line): number {
    const text = this.#text
    if (text.startsWith('<!--', first.text)) {
      const close = this.#find('-->', /-->/g, first.text + 4)
      if (close !== -1) return lineAt(text, close)?.end ?? first.end
    }
    const name = /^<([a-z]+)/i.exec(text.slice(first.text, Math.min(first.end, first.text + 12)))?.[1]?.toLowerCase()
    if (name !== undefined && RAW.has(name)) {
      const close = this.#find(name, new RegExp(`</${name}\\s*>`, 'gi'), first.text)
      if (close !== -1) return lineAt(text, close)?.end ?? first.end
    }
    let last = first
    for (let line = lineAfter(text, first); line !== null && !line.isBlank; line = lineAfter(text, line)) last = line
    return last.end
  }

  #find(name: string, pattern: RegExp, from: number): number {
    if (this.#missing.has(name)) return -1
    pattern.lastIndex = from
    const found = pattern.exec(this.#text)
    if (found === null) this.#missing.add(name)
    return found?.index ?? -1
  }
}
