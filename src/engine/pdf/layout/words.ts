import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { type Box, boxOf, holds, union } from './box.ts'
import { fontStyle } from './font-style.ts'
import { inWrittenOrder, scriptRuns } from './right-to-left.ts'

/** One word on a page, upright, with what its letters look like. */
export interface Word extends Box {
  readonly text: string
  /** Font size in points; for recognised words an estimate from the height of their letters. */
  readonly size: number
  /** Height at which its letters stand. */
  readonly baseline: number
  /** 100 (thin) to 900 (black), by the name of its font; 400 for recognised words. */
  readonly weight: number
  readonly italic: boolean
  readonly monospaced: boolean
  /** In a font of mathematics. */
  readonly math: boolean
  /** OCR confidence, 0 to 1; null for native text. */
  readonly confidence: number | null
  /** Where a link annotation on it leads, or null. */
  readonly link: string | null
  /** Clockwise degrees by which the word is turned: 0 reads from left to right, 90 downwards, 270 upwards. */
  readonly turned: 0 | 90 | 270
}

/** Text may lean by this much and still belong to a line. */
const LEANING_DEGREES = 5
/** Letters that reach below their line; the box of a recognised line ends where its ink does. */
const LOW_LETTERS = /[gjpqy,;()[\]{}|/]/u
/** Font size as a share of a line's height. */
const LETTERS_OF_LINE = 0.85

/** The words of a page in the order of the file; slanted text, such as a watermark, is left out. */
export function wordsOf(page: ParsedPage): Word[] {
  const links = (page.annotations ?? []).flatMap(({ uri, rect, quadpointRects }) => {
    const areas = quadpointRects.length > 0 ? quadpointRects : rect === undefined ? [] : [rect]
    return uri === undefined ? [] : areas.map((area) => ({ uri, box: boxOf(area) }))
  })
  const linkAt = (box: Box): string | null => links.find((link) => holds(link.box, box))?.uri ?? null
  const words = page.textItems.flatMap((item) => {
    const turned = turnOf(item)
    if (turned === null || item.text.trim() === '') return []
    return piecesOf(item, turned).map((piece) => ({ ...piece, link: linkAt(piece), turned }))
  })
  return withoutDoubles(words)
}

function turnOf(item: TextItem): Word['turned'] | null {
  const degrees = (((item.rotation ?? 0) % 360) + 360) % 360
  const turn = ([0, 90, 270, 360] as const).find((angle) => Math.abs(angle - degrees) <= LEANING_DEGREES)
  return turn === undefined ? null : turn === 360 ? 0 : turn
}

/** Bold print is sometimes made by printing twice, a hair apart. */
function withoutDoubles(words: readonly Word[]): Word[] {
  const seen = new Map<string, Word[]>()
  return words.filter((word) => {
    const alike = seen.get(word.text) ?? []
    const isSame = (other: Word): boolean => Math.abs(other.x0 - word.x0) < 1.5 && Math.abs(other.y0 - word.y0) < 1.5
    if (alike.some(isSame)) return false
    // The second print follows soon after the first one.
    seen.set(word.text, [...alike.slice(-20), word])
    return true
  })
}

function piecesOf(item: TextItem, turned: Word['turned']): Omit<Word, 'link' | 'turned'>[] {
  const name = item.fontName ?? ''
  const style = {
    size: item.confidence === undefined ? nativeSize(item) : recognisedSize(item),
    baseline: item.y + item.height * (item.confidence === undefined || LOW_LETTERS.test(item.text) ? 0.8 : 1),
    ...fontStyle(name),
    confidence: item.confidence ?? null,
  }
  const pieces = turned === 0 ? (wholeWords(item) ?? spread(item)) : [item]
  return pieces
    .flatMap((piece) => (turned === 0 ? scriptRuns(piece) : [piece]))
    .map((piece) => ({ ...boxOf(piece), text: inWrittenOrder(cleaned(piece.text, name)), ...style }))
    .filter((piece) => piece.text !== '')
}

interface Piece {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The words of an item with their boxes; the library sometimes cuts a word at a point, so its text has the last say. */
function wholeWords(item: TextItem): Piece[] | null {
  const pieces = [...(item.words ?? [])]
  const out: Piece[] = []
  for (const text of item.text.split(/\s+/).filter(Boolean)) {
    const parts: Piece[] = []
    for (let length = 0; length < text.length && pieces.length > 0; length += parts.at(-1)?.text.length ?? 0) {
      parts.push(...pieces.splice(0, 1))
    }
    if (parts.map((part) => part.text).join('') !== text) return null
    const box = union(parts.map(boxOf))
    out.push({ text, x: box.x0, y: box.y0, width: box.x1 - box.x0, height: box.y1 - box.y0 })
  }
  return pieces.length === 0 ? out : null
}

/** The size that the file states, unless the height of the letters shows that it scales them in some other way. */
function nativeSize(item: TextItem): number {
  const stated = item.fontHeight ?? item.fontSize ?? 0
  const seen = item.height * LETTERS_OF_LINE
  return stated > seen * 0.6 && stated < seen * 1.7 ? stated : seen
}

/**
 * The size of recognised letters from the height of their ink: a line with ascenders and descenders is nearly as high
 * as its font, `one` is about half of that.
 */
function recognisedSize(item: TextItem): number {
  const high = /[\p{Lu}\p{N}bdfhijklt()[\]{}|/!?"'&%$]/u.test(item.text)
  const low = LOW_LETTERS.test(item.text)
  return item.height / (high && low ? 0.93 : high ? 0.73 : low ? 0.72 : 0.52)
}

/** Words of a line that came in one piece: its width is shared out by letters. */
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

/** Fonts of ornaments: a letter of theirs is a bullet, a box or an arrow. */
const ORNAMENTS = /wingding|dingbat|webding/i
/** Symbol fonts that keep their bullets and boxes in the private-use area of Unicode. */
const SYMBOLS = /symbol|wingding|dingbat|webding/i
/** The codes of Symbol and Wingdings bullets (0xF000 plus the code of the font), in whatever font they come. */
const BULLETS = /^[\uf0a7\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc\uf0fe]$/u
/** Letters without a meaning: private-use code points, and the replacement character. */
const GARBLED = /[\ue000-\uf8ff\ufffd]/gu

/** The text without letters that have no meaning. Empty text is no word: its ink then counts as unread. */
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
