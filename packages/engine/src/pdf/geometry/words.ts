import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { type Box, boxOf, holds, union } from './box.ts'
import { type FontStyle, fontStyle } from './font-style.ts'
import { withJoinedIdeographs } from './join-native-ideographs.ts'
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
  /** On a page that is laid out in a mirror (`mirrored.ts`): its box is that of the mirror. */
  readonly mirrored?: true
}

/** Text may lean by this much and still belong to a line. */
const LEANING_DEGREES = 5
/** Letters that reach below their line; the box of a recognised line ends where its ink does. */
const LOW_LETTERS = /[gjpqy,;()[\]{}|/\p{Script=Han}]/u
/** Letters that are higher than an x; ideographs reach as high and as low as any. */
const HIGH_LETTERS = /[\p{Lu}\p{N}bdfhijklt()[\]{}|/!?"'&%$\p{Script=Han}]/u
/** Font size as a share of a line's height. */
const LETTERS_OF_LINE = 0.85

/** Preview, ink and layout ask for the words of the same text; it is forgotten with its page. */
const known = new WeakMap<ParsedPage['textItems'], readonly Word[]>()

/** The words of a page in the order of the file; slanted text, such as a watermark, is left out. */
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

/** Bold print is sometimes made by printing twice, a hair apart. */
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
    // The second print follows soon after the first one.
    if (alike.length > 20) alike.shift()
    alike.push(word)
    return true
  })
}

/** Most text: nothing in it is garbled, and all of it runs from left to right. */
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

/** The words of an item with their boxes; the library sometimes cuts a word at a point, so its text has the last say. */
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

/** The size that the file states, unless the height of the letters shows that it scales them in some other way. */
function nativeSize(item: TextItem): number {
  const stated = item.fontHeight ?? item.fontSize ?? 0
  const seen = item.height * LETTERS_OF_LINE
  return stated > seen * 0.6 && stated < seen * 1.7 ? stated : seen
}

/**
 * The height of a recognised word's ink as a share of its font size, and how far below its upper edge it stands on its line as
 * a share of that height: a word with ascenders and descenders is nearly as high as its font, `one` is about half of that.
 */
export function letterShape(text: string): { readonly height: number; readonly rise: number } {
  const [high, low] = [HIGH_LETTERS.test(text), LOW_LETTERS.test(text)]
  if (high) return low ? { height: 0.93, rise: 0.77 } : { height: 0.73, rise: 1 }
  return low ? { height: 0.72, rise: 0.72 } : { height: 0.52, rise: 1 }
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
