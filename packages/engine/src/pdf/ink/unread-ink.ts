import type { Box } from '../geometry/box.ts'
import type { Component } from './components.ts'
import type { InkMask } from './ink-mask.ts'
import { lettersInLines } from './running-text.ts'
import { smallInk, type TextInk } from './text-ink.ts'

/** Amount of text ink with and without words over it. */
export interface InkReading {
  /** Estimated number of glyphs of ink below words. */
  readonly readLetters: number
  /** Estimated number of glyphs of ink without a word. */
  readonly unreadLetters: number
  /** `unreadLetters` as a fraction of both. 0 for a page without ink. */
  readonly unreadShare: number
  /** Fraction of all glyphs that are unread and belong to lines of running text. */
  readonly unreadLineShare: number
  /** Fraction of all ink of glyph size without a word, fragments and specks included. */
  readonly unreadPixelShare: number
  /** Fraction of the page whose marks are grain, noise or soft shapes. */
  readonly grainShare: number
  /** Fraction of the page that is noise, which may hide print. */
  readonly noiseShare: number
  /** Fraction of the word area without ink: words that the page does not show. */
  readonly ghostShare: number
}

/** Margin in points. Word boxes end at the glyph edges, and the drawing's blur extends past them. */
const BLUR_POINTS = 1.5
/** Threshold: covered fraction of a word's box. Ink above it counts as read. */
const COVERED = 0.5
/** Threshold: fraction of ink. A box with less holds no glyphs. */
const MIN_INK = 0.02

/** Compares the ink of a page with the boxes of its words, both upright, in points. */
export function readInk(mask: InkMask, words: readonly Box[]): InkReading {
  const covered = new Uint8Array(mask.width * mask.height)
  let [area, ghosts] = [0, 0]
  for (const word of words) {
    const { pixels, ink } = cover(covered, mask, word)
    area += pixels
    if (ink < MIN_INK * pixels) ghosts += pixels
  }
  let [readLetters, pixels, unreadPixels] = [0, 0, 0]
  const unread: TextInk[] = []
  const { text, marks } = smallInk(mask, { barred: true })
  const isRead = (piece: Component): boolean => coveredShare(covered, mask.width, piece) >= COVERED
  for (const piece of text) {
    const read = isRead(piece)
    if (read) readLetters += piece.letters
    else unread.push(piece)
    pixels += piece.pixels
    if (!read) unreadPixels += piece.pixels
  }
  const unreadLetters = unread.reduce((sum, { letters }) => sum + letters, 0)
  for (const piece of marks) {
    pixels += piece.pixels
    if (!isRead(piece)) unreadPixels += piece.pixels
  }
  return {
    readLetters,
    unreadLetters,
    unreadShare: unreadLetters / Math.max(1, readLetters + unreadLetters),
    unreadLineShare: lettersInLines(unread, mask) / Math.max(1, readLetters + unreadLetters),
    unreadPixelShare: unreadPixels / Math.max(1, pixels),
    grainShare: mask.grainShare,
    noiseShare: mask.noiseShare,
    ghostShare: area === 0 ? 0 : ghosts / area,
  }
}

/** Returns the reading of a page with this many more read glyphs of ink. */
export function withReadLetters(ink: InkReading, letters: number): InkReading {
  const before = ink.readLetters + ink.unreadLetters
  const share = before / Math.max(1, before + letters)
  return {
    ...ink,
    readLetters: ink.readLetters + letters,
    unreadShare: ink.unreadShare * share,
    unreadLineShare: ink.unreadLineShare * share,
    unreadPixelShare: ink.unreadPixelShare * share,
  }
}

/** Returns the ink fraction of a box, in points. */
export function inkShare(mask: InkMask, box: Box): number {
  const { x0, y0, x1, y1 } = inPixels(mask, box, 0)
  let ink = 0
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * mask.width + x0; at < y * mask.width + x1; at += 1) ink += mask.ink[at] ?? 0
  }
  return x1 <= x0 || y1 <= y0 ? 0 : ink / ((x1 - x0) * (y1 - y0))
}

function inPixels({ width, height, perPoint }: InkMask, box: Box, margin: number): Box {
  return {
    x0: Math.max(0, Math.floor((box.x0 - margin) * perPoint)),
    y0: Math.max(0, Math.floor((box.y0 - margin) * perPoint)),
    x1: Math.min(width, Math.ceil((box.x1 + margin) * perPoint)),
    y1: Math.min(height, Math.ceil((box.y1 + margin) * perPoint)),
  }
}

function cover(covered: Uint8Array, mask: InkMask, word: Box): { readonly pixels: number; readonly ink: number } {
  const { width } = mask
  const { x0, y0, x1, y1 } = inPixels(mask, word, BLUR_POINTS)
  let ink = 0
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) {
      covered[at] = 1
      ink += mask.ink[at] ?? 0
    }
  }
  return { pixels: Math.max(0, x1 - x0) * Math.max(0, y1 - y0), ink }
}

function coveredShare(covered: Uint8Array, width: number, { x0, y0, x1, y1 }: Component): number {
  let count = 0
  for (let y = y0; y < y1; y += 1) {
    for (let at = y * width + x0; at < y * width + x1; at += 1) count += covered[at] ?? 0
  }
  return count / ((x1 - x0) * (y1 - y0))
}
