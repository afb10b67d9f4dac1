import type { LayoutBlock, ListItem, TextBlock } from './block.ts'
import type { DocumentStyle } from './document-style.ts'
import { lineText } from './line-text.ts'
import { sizeOf } from './rows.ts'

/** Letters this much larger than the text's are a heading's; recognised sizes scatter and need more, those of one word most. */
const LARGER = 1.12
const LARGER_RECOGNISED = 1.24
const LARGER_RECOGNISED_LINE = 1.16
/** So many words of one line tell its size. */
const WORDS_OF_LINE = 3
const MOST_LINES = 4
const MOST_CHARACTERS = 200
const MOST_BOLD_CHARACTERS = 120

const CAPTION =
  /^(?:table|tab\.|figure|fig\.?|exhibit|chart|graph|box|plate|scheme|algorithm|listing|tableau|abbildung|tabelle)\s*(?:[A-Z]?[-.]?\d|[IVXLC]+\b|[A-Z][-.]\d?)/i

/** Tells headings and captions from paragraphs, by their letters, their length and what follows them. */
export function withHeadings(blocks: readonly LayoutBlock[], style: DocumentStyle): LayoutBlock[] {
  return blocks.map((block, index) => {
    if (block.kind === 'list_item') return numberedHeading(block, blocks[index - 1], blocks[index + 1], style) ?? block
    if (block.kind !== 'paragraph') return block
    const text = block.lines.map(lineText).join(' ')
    if (CAPTION.test(text) && text.length < 400) return { ...block, kind: 'caption' as const }
    return isHeading(block, text, blocks[index + 1], style) ? { ...block, kind: 'heading' as const } : block
  })
}

/** `7. THEORY` reads like a list item; larger or bold letters and no item beside it make it a heading. */
function numberedHeading(
  item: ListItem,
  before: LayoutBlock | undefined,
  next: LayoutBlock | undefined,
  style: DocumentStyle,
): TextBlock | null {
  const [first, ...others] = item.lines
  const [word] = first ?? []
  if (first === undefined || word === undefined || !/^(?:\d|[IVXA-Z]+\.)/.test(item.marker)) return null
  const lines = [[{ ...word, text: item.marker }, ...first], ...others]
  const block: TextBlock = { kind: 'heading', box: item.box, lines }
  const text = lines.map(lineText).join(' ')
  const larger = sizeOf(lines.flat()) >= style.bodySize * LARGER
  const inItalics = first.every((printed) => printed.italic) && others.length === 0 && next?.kind === 'paragraph'
  if (inItalics && before?.kind !== 'list_item' && text.length <= MOST_BOLD_CHARACTERS) return block
  if (!larger && (before?.kind === 'list_item' || next?.kind === 'list_item')) return null
  return isHeading({ ...block, kind: 'paragraph' }, text, next, style) ? block : null
}

function isHeading(block: TextBlock, text: string, next: LayoutBlock | undefined, style: DocumentStyle): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  if (letters < 2 || letters < text.replace(/\s/g, '').length * 0.5) return false
  if (block.lines.length > MOST_LINES || text.length > MOST_CHARACTERS || /[;。；，]$|https?:|@|\.{4,}/.test(text))
    return false
  const words = block.lines.flat()
  const size = sizeOf(words)
  const recognised = words.some((word) => word.confidence !== null)
  // Formulas have high signs between small letters, and are recognised as anything.
  if (recognised && /[\\{}]/.test(text)) return false
  if (size >= style.bodySize * (recognised ? largerRecognised(block, text) : LARGER)) return letters >= 3
  if (recognised || size < style.bodySize * 0.92 || block.lines.length > 2 || text.length > MOST_BOLD_CHARACTERS)
    return false
  if (/[.,;:]$/.test(text) && !/^\d+(?:\.\d+)*\.?\s/.test(text)) return false
  const followed = next !== undefined && next.kind !== 'figure'
  const bold = !style.mostlyBold && words.every((word) => word.bold)
  const nextBold = next?.kind === 'paragraph' && next.lines.flat().every((word) => word.bold)
  if (bold) return followed && !(nextBold && next.lines.length > 2)
  const capitals = text === text.toUpperCase() && letters >= 5 && block.lines.length === 1 && text.length <= 70
  return capitals && next?.kind === 'paragraph' && next.lines.flat().length >= 12
}

function largerRecognised({ lines }: TextBlock, text: string): number {
  const [line] = lines
  const isLine = lines.length === 1 && (line?.length ?? 0) >= WORDS_OF_LINE
  return isLine && /^["“(]?[\p{Lu}\p{N}]/u.test(text) && !/[=<>|]/.test(text)
    ? LARGER_RECOGNISED_LINE
    : LARGER_RECOGNISED
}

/** How a heading looks: what its level is decided by. */
export interface HeadingStyle {
  readonly size: number
}

export function headingStyle(block: TextBlock): HeadingStyle {
  return { size: Math.round(sizeOf(block.lines.flat()) * 2) / 2 }
}

/** Levels 1 to 6 for the sizes of a document's headings, the largest first; sizes that hardly differ share one. */
export function headingLevels(styles: readonly HeadingStyle[]): (style: HeadingStyle) => number {
  const sizes = [...new Set(styles.map((style) => style.size))].sort((a, b) => b - a)
  const steps: number[] = []
  for (const size of sizes) {
    const last = steps.at(-1)
    if (last === undefined || last - size > 0.06 * last) steps.push(size)
  }
  return ({ size }) => Math.min(6, Math.max(1, steps.filter((step) => step >= size - 0.01).length))
}
