import { extensionOf } from '@sluice/contract'
import type { ChunkableDocument } from './chunk.ts'
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts'
import { addLeaves, NO_ROW, type Piece, plainPiece } from './piece.ts'
import { pageSpans } from './citations.ts'

export interface Outline {
  /** The first heading of level 1, and its offset. */
  readonly title: { readonly text: string; readonly at: number } | null
  readonly pieces: readonly Piece[]
}

/** Maximum length in characters of a heading as context: every chunk below would count a longer one. */
const LONGEST_HEADING = 1000

interface OpenSection {
  readonly level: number
  readonly headings: readonly string[]
  readonly children: Piece[]
}

/** Builds the tree of a document's sections. Headings come from the Markdown and from the layout. */
export function outlineOf({ markdown, blocks: layout, fileName = '' }: ChunkableDocument): Outline {
  const types = new Map(layout.map(({ type, page, span }) => [span[0], { type, page, end: span[1] }]))
  const root: OpenSection = { level: 0, headings: [], children: [] }
  const open: OpenSection[] = [root]
  let title: Outline['title'] = null
  const blocks = markdownBlocks(markdown).map((block) => withLayout(block, types))
  blocks.forEach((block, index) => {
    if (block.level === 0) {
      const { headings, children } = open.at(-1) ?? root
      children.push(pieceOf({ markdown, blocks, types }, index, headings))
      return
    }
    while (open.length > 1 && (open.at(-1)?.level ?? 0) >= block.level) close(open)
    const parent = open.at(-1) ?? root
    const written = headingText(markdown.slice(block.start, block.end))
    const isContext = written.length <= LONGEST_HEADING && !(block.level === 1 && isFileName(written, fileName))
    const text = isContext ? written : ''
    if (block.level === 1 && text !== '') title ??= { text, at: block.start }
    const heading = plainPiece('heading', block.start, block.end, parent.headings)
    const headings = text === '' ? parent.headings : [...parent.headings, text]
    open.push({ level: block.level, headings, children: [heading] })
  })
  while (open.length > 1) close(open)
  return { title, pieces: root.children }
}

/** Closes the innermost section and adds it to its parent as one piece. */
function close(open: OpenSection[]): void {
  const section = open.pop()
  const [first, last] = [section?.children[0], section?.children.at(-1)]
  if (section === undefined || first === undefined || last === undefined) return
  const { children } = section
  const holdsOwn = children.some((child) => child.own !== null || child.holdsOwn)
  const piece = { ...plainPiece('section', first.start, last.end, first.headings), children, holdsOwn }
  open.at(-1)?.children.push(piece)
}

type Types = ReadonlyMap<number, { readonly type: string; readonly page: number | null; readonly end: number }>

/** Type of the layout block with the span of this block. */
const typeOf = ({ start, end }: MarkdownBlock, types: Types): string | null => {
  const named = types.get(start)
  return named?.end === end ? named.type : null
}

/** A service may return headings without their `#`: the layout then identifies them. */
function withLayout(block: MarkdownBlock, types: Types): MarkdownBlock {
  const type = block.kind === 'paragraph' ? typeOf(block, types) : null
  if (type === 'title') return { ...block, kind: 'heading', level: 1 }
  return type === 'section_header' ? { ...block, kind: 'heading', level: 2 } : block
}

/** A picture of a document without pages has no box to cite: it is part of the surrounding text. */
const isFigure = (block: MarkdownBlock, types: Types): boolean =>
  typeOf(block, types) === 'figure' && types.get(block.start)?.page !== null

interface Blocks {
  readonly markdown: string
  readonly blocks: readonly MarkdownBlock[]
  readonly types: Types
}

const KINDS = {
  heading: 'heading',
  paragraph: 'prose',
  html: 'prose',
  quote: 'quote',
  list: 'list',
  code: 'code',
  table: 'table',
} as const

function pieceOf(document: Blocks, index: number, headings: readonly string[]): Piece {
  const { kind, start, end } = document.blocks[index] as MarkdownBlock
  const piece = plainPiece(KINDS[kind], start, end, headings)
  const float = floatAt(document, index)
  if (float !== null) {
    const above = captionAt(document, index - 1)
    const caption = above?.isAbove === true ? above : captionAt(document, index + 1)
    const isOwn = caption !== null && caption.isAbove === (caption === above)
    return { ...piece, own: float, row: float.kind === 'table' ? 0 : -1, caption: isOwn ? caption.text : null }
  }
  const caption = captionAt(document, index)
  if (caption === null) return piece
  return caption.isAbove ? { ...piece, keepNext: true } : { ...piece, own: floatAt(document, index - 1), row: NO_ROW }
}

/** Null for a block other than a table or figure. */
function floatAt({ blocks, types }: Blocks, index: number): Piece['own'] {
  const block = blocks[index]
  if (block === undefined) return null
  const kind = block.kind === 'table' ? 'table' : isFigure(block, types) ? 'figure' : null
  return kind && { kind, at: block.start }
}

/** Maximum length in characters of a caption: by its words alone, and by the layout. */
const LONGEST_CAPTION = 300
const LONGEST_IN_LAYOUT = 1000

interface Caption {
  readonly text: string
  /** True above its table or figure, false below. */
  readonly isAbove: boolean
}

/** `Table 3: …`, also in bold or italics, or a caption of the layout; null unless it is next to a table or figure. */
function captionAt(document: Blocks, index: number): Caption | null {
  const block = document.blocks[index]
  const [before, after] = [floatAt(document, index - 1), floatAt(document, index + 1)]
  if (block?.kind !== 'paragraph' || (before ?? after) === null || floatAt(document, index) !== null) return null
  const isNamed = typeOf(block, document.types) === 'caption'
  if (block.end - block.start > (isNamed ? LONGEST_IN_LAYOUT : LONGEST_CAPTION)) return null
  const text = document.markdown.slice(block.start, block.end).replaceAll(/\s+/g, ' ').trim()
  const label = LABEL.exec(text)
  // "Table 3 shows …" is a sentence.
  const isSentence = label !== null && !/^[\s*_]*(?:$|[^\p{Ll}\s,;*_])/u.test(text.slice(label[0].length))
  if (isSentence || (label === null && !isNamed)) return null
  const namesFigure = /^[*_]*(?:f|a)/i.test(label?.[0] ?? '')
  return { text, isAbove: after !== null && !(namesFigure && before?.kind === 'figure') }
}

const LABEL = /^[*_]*(?:table|tab\.|figure|fig\.|tabelle|tabla|tableau|abbildung|abb\.)\s*\d+(?:[.-]\d+)*[a-z]?/i

/** Strips the `#` of both ends, or the line below. */
function headingText(source: string): string {
  const line = source
    .replace(/\n[=-]+\s*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/\s#+$/, '')
    .trim()
}

/** `scan_07`, `Report.docx`, `Microsoft Word - Report`: such a title of a file with this name tells nothing about it. */
function isFileName(title: string, fileName: string): boolean {
  if (/^microsoft \w+ - /i.test(title)) return true
  const [stem, name] = [withoutExtension(fileName), withoutExtension(title)]
  const isWord = /^\S*(?:_|\p{L}\d|\d\p{L})\S*$/u.test(name)
  return new RegExp(`(?:^|[-_ ])${RegExp.escape(name)}$`, 'iu').test(stem) && (isWord || name !== title)
}

const withoutExtension = (name: string): string =>
  extensionOf(name) === null ? name : name.slice(0, name.lastIndexOf('.'))

/**
 * Builds a piece per page from the blocks that start on it: a block across a page break belongs to its first page.
 * Returns the pieces unchanged if the parser returned no pages.
 */
export function piecesByPage(document: ChunkableDocument, pieces: readonly Piece[]): readonly Piece[] {
  const starts = pageStarts(document)
  if (starts.length === 0) return pieces
  const leaves: Piece[] = []
  for (const piece of pieces) addLeaves(piece, leaves)
  const pages: Piece[] = []
  let from = 0
  for (const start of [...starts.slice(1), Infinity]) {
    let upTo = from
    while (upTo < leaves.length && (leaves[upTo] as Piece).start < start) upTo += 1
    if (upTo > from) pages.push(pageOf(leaves.slice(from, upTo)))
    from = upTo
  }
  return pages
}

/** Start of each page, ascending; later blocks of an earlier page belong to the page around them. */
function pageStarts(document: ChunkableDocument): readonly number[] {
  const blocks = document.blocks
    .filter(({ span }) => span[1] > span[0])
    .toSorted((one, other) => one.span[0] - other.span[0])
  const found = blocks.length > 0 ? blocks : pageSpans(document)
  let last = 0
  return found.flatMap(({ page, span }) => {
    if (page === null || page <= last) return []
    last = page
    return [span[0]]
  })
}

function pageOf(leaves: readonly Piece[]): Piece {
  const [first, last] = [leaves[0] as Piece, leaves.at(-1) as Piece]
  return {
    ...plainPiece('page', first.start, last.end, first.headings),
    own: { kind: 'page', at: first.start },
    children: sectionsOf(leaves),
  }
}

/** Groups each heading with the text up to the next heading. */
function sectionsOf(leaves: readonly Piece[]): readonly Piece[] {
  const sections: Piece[] = []
  for (let from = 0; from < leaves.length;) {
    let upTo = from + 1
    while (upTo < leaves.length && (leaves[upTo] as Piece).kind !== 'heading') upTo += 1
    const children = leaves.slice(from, upTo)
    const [first, last] = [children[0] as Piece, children.at(-1) as Piece]
    const holdsOwn = children.some(({ own }) => own !== null)
    if (first.kind === 'heading') {
      sections.push({ ...plainPiece('section', first.start, last.end, first.headings), children, holdsOwn })
    } else sections.push(...children)
    from = upTo
  }
  return sections
}
