import type { ParsedPage, TextItem } from '@llamaindex/liteparse'
import { type Box, holds } from './box.ts'

/** One word on a page, upright, with what its letters look like. */
export interface Word extends Box {
  readonly text: string
  /** Font size in points; for recognised words an estimate from the height of their letters. */
  readonly size: number
  readonly bold: boolean
  readonly italic: boolean
  readonly monospaced: boolean
  /** OCR confidence, 0 to 1; null for native text. */
  readonly confidence: number | null
  /** Where a link annotation on it leads, or null. */
  readonly link: string | null
}

/** Text turned by more than this is no part of a line of reading: watermarks, axis labels, margin stamps. */
const UPRIGHT_DEGREES = 5
/** Font size as a share of a line's height. */
const LETTERS_OF_LINE = 0.85

/** The upright words of a page in the order of the file. */
export function wordsOf(page: ParsedPage): Word[] {
  const links = (page.annotations ?? []).flatMap(({ uri, rect, quadpointRects }) => {
    const areas = quadpointRects.length > 0 ? quadpointRects : rect === undefined ? [] : [rect]
    return uri === undefined ? [] : areas.map((area) => ({ uri, box: boxOf(area) }))
  })
  const linkAt = (box: Box): string | null => links.find((link) => holds(link.box, box))?.uri ?? null
  return page.textItems
    .filter((item) => Math.abs(item.rotation ?? 0) <= UPRIGHT_DEGREES && item.text.trim() !== '')
    .flatMap((item) => piecesOf(item).map((piece) => ({ ...piece, link: linkAt(piece) })))
}

function piecesOf(item: TextItem): Omit<Word, 'link'>[] {
  const name = item.fontName ?? ''
  const style = {
    size: item.confidence === undefined ? nativeSize(item) : recognisedSize(item),
    bold: /bold|black|heavy|demi/i.test(name) || (item.fontWeight ?? 400) >= 600,
    italic: /italic|oblique/i.test(name),
    monospaced: /mono|courier|consol|typewriter|cmtt/i.test(name),
    confidence: item.confidence ?? null,
  }
  const native = item.words ?? []
  return (native.length > 0 ? native : spread(item))
    .map((piece) => ({ ...boxOf(piece), text: cleaned(piece.text), ...style }))
    .filter((piece) => piece.text !== '')
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
  const low = /[gjpqy,;()[\]{}|/]/u.test(item.text)
  return item.height / (high && low ? 0.93 : high ? 0.73 : low ? 0.72 : 0.52)
}

/** Words of a line that came in one piece: its width is shared out by letters. */
function spread(item: TextItem): { text: string; x: number; y: number; width: number; height: number }[] {
  const perLetter = item.width / Math.max(1, item.text.length)
  return [...item.text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    x: item.x + match.index * perLetter,
    y: item.y,
    width: match[0].length * perLetter,
    height: item.height,
  }))
}

function cleaned(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f\u00ad\u200b\ufeff]/g, '')
    .normalize('NFC')
    .trim()
}

function boxOf(rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): Box {
  return { x0: rect.x, y0: rect.y, x1: rect.x + rect.width, y1: rect.y + rect.height }
}
