import type { LayoutBlock, Line, ListItem, TextBlock } from './block.ts'
import type { DocumentStyle } from '../geometry/document-style.ts'
import { lineText } from '../geometry/line-text.ts'
import { sizeOf } from '../geometry/rows.ts'

/**
 * Threshold: ratio of a heading's glyph size to the body text. Recognised sizes scatter and need more, single words
 * most.
 */
const LARGER = 1.12
const LARGER_RECOGNISED = 1.24
const LARGER_RECOGNISED_LINE = 1.16
/** Threshold: number of words in a line that make its size reliable. */
const WORDS_OF_LINE = 3
const MAX_LINES = 4
const MAX_CHARACTERS = 200
const MAX_BOLD_CHARACTERS = 120

const MAX_PLAIN_CHARACTERS = 70
const PROSE_WORDS = 12
/** Threshold: ratio of capitals to adjacent small capitals. */
const SMALL_CAPITALS = 1.34
const SECTION_NUMBER = /^\d+(?:\.\d+)*\.?\s+/
/** Matches the end of a clause or formula, an address, and leader dots before a page number. */
const NO_HEADING = /[;。；，=]$|https?:|@|\.{4,}/

const MAX_UNMARKED_CAPTION = 400
const CAPTION =
  /^(?:[[<(【]\s*)?(?:table|tab\.|figure|fig\.?|exhibit|chart|graph|box|plate|scheme|algorithm|listing|tableau|abbildung|tabelle|표|그림|[表图圖図])\s*(?:[A-Z]?[-.]?\d|[IVXLC]+\b|[A-Z][-.]\d?)/i

/** Separates headings and captions from paragraphs, by style, length and the following block. */
export function withHeadings(blocks: readonly LayoutBlock[], style: DocumentStyle): LayoutBlock[] {
  return blocks.map((block, index) => {
    if (block.kind === 'list_item') return numberedHeading(block, blocks[index - 1], blocks[index + 1], style) ?? block
    if (block.kind !== 'paragraph') return block
    const text = block.lines.map(lineText).join(' ')
    if (isCaption(text)) return { ...block, kind: 'caption' as const }
    return isHeading(block, text, blocks[index + 1], style) ? { ...block, kind: 'heading' as const } : block
  })
}

/**
 * Matches `Table 2: …` and `Fig. 3. …` at any length. Without a mark after the number, a long text only refers to the
 * figure.
 */
function isCaption(text: string): boolean {
  const [label] = CAPTION.exec(text) ?? []
  if (label === undefined) return false
  return text.length < MAX_UNMARKED_CAPTION || /^[\d.-]*\s?[.:|–—]\s/.test(text.slice(label.length))
}

/** `7. THEORY` has the form of a list item. A large or bold glyph style and no adjacent item make it a heading. */
function numberedHeading(
  item: ListItem,
  before: LayoutBlock | undefined,
  next: LayoutBlock | undefined,
  style: DocumentStyle,
): TextBlock | null {
  const [first, ...others] = item.lines
  const [word] = first ?? []
  if (first === undefined || word === undefined || !/^\(?(?:\d|[IVXA-Z]+[.)])/.test(item.marker)) return null
  const lines = [[{ ...word, text: item.marker }, ...first], ...others]
  const block: TextBlock = { kind: 'heading', box: item.box, lines }
  const text = lines.map(lineText).join(' ')
  const larger = sizeOf(lines.flat()) >= style.bodySize * LARGER
  const inItalics = first.every((printed) => printed.italic) && others.length === 0 && next?.kind === 'paragraph'
  if (inItalics && before?.kind !== 'list_item' && text.length <= MAX_BOLD_CHARACTERS) return block
  if (!larger && (before?.kind === 'list_item' || next?.kind === 'list_item')) return null
  return isHeading({ ...block, kind: 'paragraph' }, text, next, style) ? block : null
}

function isHeading(block: TextBlock, text: string, next: LayoutBlock | undefined, style: DocumentStyle): boolean {
  const unnumbered = text.replace(SECTION_NUMBER, '')
  const letters = unnumbered.match(/\p{L}/gu)?.length ?? 0
  if (letters < 2 || letters < unnumbered.replace(/\s/g, '').length * 0.5) return false
  if (block.lines.length > MAX_LINES || text.length > MAX_CHARACTERS || NO_HEADING.test(text)) return false
  const words = block.lines.flat()
  const size = headingSize(words)
  const recognised = words.some((word) => word.confidence !== null)
  // Formulas have high signs between small letters, and OCR misreads them at random.
  if (recognised && /[\\{}]/.test(text)) return false
  if (size >= style.bodySize * (recognised ? largerRecognised(block, text) : LARGER)) return letters >= 3
  if (recognised || size < style.bodySize * 0.92 || block.lines.length > 2 || text.length > MAX_BOLD_CHARACTERS)
    return false
  if (/[.,;:]$/.test(text) && !SECTION_NUMBER.test(text)) return false
  const bold = words.every((word) => word.weight >= style.boldWeight)
  const nextBold = next?.kind === 'paragraph' && next.lines.flat().every((word) => word.weight >= style.boldWeight)
  if (bold) {
    const leads = next !== undefined && next.kind !== 'figure' && !(nextBold && next.lines.length > 2)
    return leads && !isColumnTitle(block, next)
  }
  return block.lines.length === 1 && letters >= 5 && isProse(next) && isSetApart(words, text)
}

/** Threshold in font sizes. A wider gap separates cells of a row. The gap after a section number is as wide. */
const CELL_GAP = 1.1
const NUMBER = /^\(?[\dIVXLCA-Z.]{1,6}\)?$/

/** True if a line holds column titles, above a table or another line of cells. */
function isColumnTitle({ lines: [line = []] }: TextBlock, next: LayoutBlock): boolean {
  if (!hasCells(line)) return false
  return next.kind === 'table' || ('lines' in next && hasCells(next.lines[0] ?? []))
}

function hasCells(line: Line): boolean {
  const words = line.toSorted((a, b) => a.x0 - b.x0)
  return words.slice(1).some((word, index) => {
    const before = words[index]
    if (before === undefined || word.x0 - before.x1 < CELL_GAP * word.size) return false
    return index > 0 || !NUMBER.test(before.text)
  })
}

/** True for a separate line in capitals or italics at the size of the text. */
function isSetApart(words: Line, text: string): boolean {
  if (text.length > MAX_PLAIN_CHARACTERS) return false
  if (isCapitals(text)) return true
  return words.every((word) => word.italic) && /^["“(]?[\p{Lu}\d]/u.test(text) && !/[.,;:)\]"”]$/.test(text)
}

/** False for scripts without capitals. */
function isCapitals(text: string): boolean {
  return text === text.toUpperCase() && /\p{Lu}.*\p{Lu}/u.test(text)
}

/** True for a paragraph of some length that is not a numbered line. The line above may be its heading. */
function isProse(next: LayoutBlock | undefined): boolean {
  if (next?.kind !== 'paragraph') return false
  const words = next.lines.flat()
  return words.length >= PROSE_WORDS && !SECTION_NUMBER.test(lineText(words)) && !words.every((word) => word.italic)
}

/** Returns the size of a line. In small capitals, it is the size of the capitals. */
function headingSize(words: Line): number {
  const size = sizeOf(words)
  return isCapitals(lineText(words))
    ? Math.min(size * SMALL_CAPITALS, Math.max(...words.map((word) => word.size)))
    : size
}

function largerRecognised({ lines }: TextBlock, text: string): number {
  const [line] = lines
  const isLine = lines.length === 1 && (line?.length ?? 0) >= WORDS_OF_LINE
  return isLine && /^["“(]?[\p{Lu}\p{N}]/u.test(text) && !/[=<>|]/.test(text)
    ? LARGER_RECOGNISED_LINE
    : LARGER_RECOGNISED
}
