import type { SpanCounts, SpanUnit } from '#src/document/record.ts'
import type { BlockPage } from '@sluice/contract'

/** In the order of the trials: the first wins a tie. */
const UNITS: readonly SpanUnit[] = ['utf16', 'code_points', 'bytes']

export interface VerifiedSpans extends SpanCounts {
  /** The same pages; every remaining span slices the Markdown to its block's content, in UTF-16 units. */
  readonly pages: readonly BlockPage[]
}

/** Converts an offset in a unit to UTF-16; undefined or negative if no character starts there. */
type ToUtf16 = (offset: number) => number | undefined

/**
 * Detects the unit of a document's spans by slicing: the unit that fits most blocks wins. Converts all spans to UTF-16
 * units.
 */
export function verifySpans(markdown: string, pages: readonly BlockPage[]): VerifiedSpans {
  const spans = pages.flatMap(({ items }) => items.filter(({ markdownSpan }) => markdownSpan !== null))
  if (spans.length === 0) return { pages, unit: null, dropped: 0 }

  let best = { unit: 'utf16' as SpanUnit, fits: -1, toUtf16: identity }
  for (const unit of UNITS) {
    const toUtf16 = converter(markdown, unit)
    const fits = spans.filter((block) => converted(markdown, block, toUtf16) !== null).length
    if (fits > best.fits) best = { unit, fits, toUtf16 }
    if (fits === spans.length) break
  }
  if (best.fits === spans.length && best.unit === 'utf16') return { pages, unit: 'utf16', dropped: 0 }

  const rewritten = pages.map((page) => ({
    ...page,
    items: page.items.map((block) => ({ ...block, markdownSpan: converted(markdown, block, best.toUtf16) })),
  }))
  return { pages: rewritten, unit: best.fits === 0 ? null : best.unit, dropped: spans.length - best.fits }
}

type Spanned = Pick<BlockPage['items'][number], 'markdownSpan' | 'content'>

function converted(
  markdown: string,
  { markdownSpan, content }: Spanned,
  toUtf16: ToUtf16,
): readonly [number, number] | null {
  if (markdownSpan === null) return null
  const [start, end] = [toUtf16(markdownSpan[0]), toUtf16(markdownSpan[1])]
  if (start === undefined || end === undefined || start < 0 || end > markdown.length) return null
  return end - start === content.length && markdown.startsWith(content, start) ? [start, end] : null
}

const identity: ToUtf16 = (offset) => (Number.isInteger(offset) ? offset : undefined)

function converter(markdown: string, unit: SpanUnit): ToUtf16 {
  if (unit === 'utf16') return identity
  const table = unit === 'code_points' ? codePointStarts(markdown) : byteStarts(markdown)
  return (offset) => table[offset]
}

/** Offset in UTF-16 units of each code point, and of the end. */
function codePointStarts(text: string): Uint32Array {
  const starts = new Uint32Array(text.length + 1)
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    starts[count] = at
    count += 1
  }
  starts[count] = text.length
  return starts.subarray(0, count + 1)
}

/** Offset in UTF-16 units of each UTF-8 byte, and of the end; -1 inside a character. */
function byteStarts(text: string): Int32Array {
  const starts = new Int32Array(Buffer.byteLength(text) + 1).fill(-1)
  let byte = 0
  for (let at = 0; at < text.length;) {
    starts[byte] = at
    const code = text.codePointAt(at) ?? 0
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    at += code > 0xffff ? 2 : 1
  }
  starts[byte] = text.length
  return starts
}
