import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { type Box, boxOf, holds, union } from './box.ts'
import { type FontStyle, fontStyle } from './font-style.ts'
import { withJoinedIdeographs } from './join-native-ideographs.ts'
import { inWrittenOrder, scriptRuns } from './right-to-left.ts'

/** A word on a page, with its position and glyph style. */
export interface Word extends Box {
  readonly text: string
  /** Font size in points. For recognised words, an estimate from the glyph height. */
  readonly size: number
  /** Height of its baseline. */
  readonly baseline: number
  /** 100 (thin) to 900 (black), from the font name. 400 for recognised words. */
  readonly weight: number
  readonly italic: boolean
  readonly monospaced: boolean
  /** True in a font of mathematics. */
  readonly math: boolean
  /** OCR confidence, 0 to 1. Null for native text. */
  readonly confidence: number | null
  /** Target of a link annotation, or null. */
  readonly link: string | null
  /** Clockwise rotation in degrees. 0 reads from left to right, 90 downwards, 270 upwards. */
  readonly turned: 0 | 90 | 270
  /** Set on a page with a mirrored layout (`mirrored.ts`). The box is mirrored. */
  readonly mirrored?: true
}

/** Threshold in degrees. Text with less slant belongs to a line. */
const LEANING_DEGREES = 5
/** Letters whose glyph extends below the baseline. Only a line without them has its baseline at the bottom of its box. */
const LOW_LETTERS = /[gjpqy,;()[\]{}|/\p{Script=Han}]/u
/** Letters whose glyph is higher than an x. Ideographs extend fully in both directions. */
const HIGH_LETTERS = /[\p{Lu}\p{N}bdfhijklt()[\]{}|/!?"'&%$\p{Script=Han}]/u
/** Font size as a fraction of the line height. */
const LETTERS_OF_LINE = 0.85

/** Cache for preview, ink and layout, which need the words of the same text. A weak key drops them with their page. */
const known = new WeakMap<ParsedPage['textItems'], readonly Word[]>()

/** Returns the words of a page in file order. Omits slanted text, such as a watermark. */
export function wordsOf(page: ParsedPage): readonly Word[] {
  const found = known.get(page.textItems) ?? readWords(page)
  known.set(page.textItems, found)
  return found
}

function readWords(page: ParsedPage): readonly Word[] {
  const links = (page.annotations ?? []).flatMap(({ uri, rect, quadpointRects }) => {
    const areas = quadpointRects.length > 0 ? quadpointRects : rect === undefined ? [] : [rect]
    return uri === undefined ? [] : areas.map((area) => ({ uri, box: boxOf(area) }))
  })
  const linkAt = (box: Box): string | null => links.find((link) => holds(link.box, box))?.uri ?? null
  const styles = new Map<string, FontStyle>()
  const words = page.textItems.flatMap((item) => {
    const turned = turnOf(item)
    if (turned === null || item.text.trim() === '') return []
    const name = item.fontName ?? ''
    const style = styles.get(name) ?? fontStyle(name)
    styles.set(name, style)
    return piecesOf(item, turned, style).map((piece): Word => ({ ...piece, link: linkAt(piece), turned }))
  })
  return withJoinedIdeographs(withoutDoubles(words))
}

function turnOf(item: TextItem): Word['turned'] | null {
  const degrees = (((item.rotation ?? 0) % 360) + 360) % 360
  const turn = ([0, 90, 270, 360] as const).find((angle) => Math.abs(angle - degrees) <= LEANING_DEGREES)
  return turn === undefined ? null : turn === 360 ? 0 : turn
}

/** Removes duplicates. Some programs print twice with a tiny offset to imitate bold. */
function withoutDoubles(words: readonly Word[]): Word[] {
  const seen = new Map<string, Word[]>()
  return words.filter((word) => {
    const alike = seen.get(word.text)
    if (alike === undefined) {
      seen.set(word.text, [word])
      return true
    }
    const isSame = (other: Word): boolean => Math.abs(other.x0 - word.x0) < 1.5 && Math.abs(other.y0 - word.y0) < 1.5
    if (alike.some(isSame)) return false
    // The second print follows soon after the first, so a short window is enough.
    if (alike.length > 20) alike.shift()
    alike.push(word)
    return true
  })
}

/** Fast path for most text. It has no garbled letter and runs from left to right. */
const PLAIN = /^[\x21-\x7e\u00a1-\u00ac\u00ae-\u02af]{2,}$/u

function piecesOf(item: TextItem, turned: Word['turned'], font: FontStyle): Omit<Word, 'link' | 'turned'>[] {
  const name = item.fontName ?? ''
  const style = {
    size: item.confidence === undefined ? nativeSize(item) : item.height / letterShape(item.text).height,
    baseline: item.y + item.height * (item.confidence === undefined ? 0.8 : letterShape(item.text).rise),
    ...font,
    confidence: item.confidence ?? null,
  }
  const pieces = turned === 0 ? (wholeWords(item) ?? spread(item)) : [item]
  const native = item.confidence === undefined
  const words: Omit<Word, 'link' | 'turned'>[] = []
  for (const piece of pieces) {
    const isPlain = PLAIN.test(piece.text)
    for (const run of turned === 0 && !isPlain ? scriptRuns(piece, native) : [piece]) {
      const text = isPlain ? run.text : inWrittenOrder(cleaned(run.text, name), native)
      if (text !== '') words.push({ ...boxOf(run), text, ...style })
    }
  }
  return words
}

interface Piece {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Returns the words of an item with their boxes. The library's parser sometimes splits a word at a point, so the item's
 * text decides.
 */
function wholeWords(item: TextItem): Piece[] | null {
  const pieces: readonly Piece[] = item.words ?? []
  const out: Piece[] = []
  let at = 0
  for (const text of item.text.split(/\s+/).filter(Boolean)) {
    const first = pieces[at]
    if (first?.text === text) {
      out.push(first)
      at += 1
      continue
    }
    const parts: Piece[] = []
    for (let length = 0; length < text.length && at < pieces.length; at += 1) {
      const part = pieces[at] as Piece
      parts.push(part)
      length += part.text.length
    }
    if (parts.map((part) => part.text).join('') !== text) return null
    const box = union(parts.map(boxOf))
    out.push({ text, x: box.x0, y: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0 })
  }
  return at === pieces.length ? out : null
}

/** Returns the stated font size, unless the glyph height shows another scale. */
function nativeSize(item: TextItem): number {
  const stated = item.fontHeight ?? item.fontSize ?? 0
  const seen = item.height * LETTERS_OF_LINE
  return stated > seen * 0.6 && stated < seen * 1.7 ? stated : seen
}

/**
 * Returns the ink height of a recognised word as a fraction of its font size. `rise` is the distance from its top to
 * its baseline, as a fraction of that height. A word with ascenders and descenders is nearly as high as its font. `one`
 * is about half of that.
 */
export function letterShape(text: string): { readonly height: number; readonly rise: number } {
  const [high, low] = [HIGH_LETTERS.test(text), LOW_LETTERS.test(text)]
  if (high) return low ? { height: 0.93, rise: 0.77 } : { height: 0.73, rise: 1 }
  return low ? { height: 0.72, rise: 0.72 } : { height: 0.52, rise: 1 }
}

/** Splits a line that is a single piece into words, with widths in proportion to letters. */
function spread(item: TextItem): Piece[] {
  const perLetter = item.width / Math.max(1, item.text.length)
  return [...item.text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    x: item.x + match.index * perLetter,
    y: item.y,
    width: match[0].length * perLetter,
    height: item.height,
  }))
}

/** Fonts of ornaments. Each glyph is a bullet, a box or an arrow. */
const ORNAMENTS = /wingding|dingbat|webding/i
/** Symbol fonts with bullets and boxes in the private-use area of Unicode. */
const SYMBOLS = /symbol|wingding|dingbat|webding/i
/** Codes of Symbol and Wingdings bullets (0xF000 plus the code in the font), in any font. */
const BULLETS = /^[\uf0a7\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc\uf0fe]$/u
/** Letters without a meaning: private-use code points, and the replacement character. */
const GARBLED = /[\ue000-\uf8ff\ufffd]/gu

/** Removes letters without a meaning. Empty text is not a word, so its ink counts as unread. */
function cleaned(text: string, font: string): string {
  if (text.length === 1 && ORNAMENTS.test(font)) return '•'
  if (BULLETS.test(text) || (text.length === 1 && isGarbled(text) && SYMBOLS.test(font))) return '•'
  return text
    .replace(/[\u0000-\u001f\u007f\u00ad\u200b\ufeff]/g, '')
    .replace(GARBLED, '')
    .normalize('NFC')
    .trim()
}

function isGarbled(text: string): boolean {
  return text.search(GARBLED) >= 0
}
