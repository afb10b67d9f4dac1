import type { TextItem } from '@llamaindex/liteparse'
import type { InkReading } from './ink/unread-ink.ts'

/** From this share of unread letters on OCR reads a page without text; one that still shows as much after OCR is reported. */
const MUCH_UNREAD = 0.05
/** So few letters are marks. */
const LEAST_LETTERS = 3
/**
 * Beside text OCR reads lines of running text from this share of the page's letters on. Generated pages with words in a picture or
 * in outlines have .08 and more; of 27 real pages those with charts, logos, axes and menus .05 and less, but for titles of charts.
 */
const MUCH_IN_LINES = 0.06
/** And whatever its ink looks like, a page most of which is unread. Between, the grade says that much is: it falls below 0.5 at three tenths. */
const MOSTLY_UNREAD = 0.5

/** Share of a page without text that is grain or noise from which on OCR reads the page: noise may hide print. */
const MUCH_GRAIN = 0.15
/** Share of a page with text that is noise from which on a picture on it may hide print; grain of photographs is none. */
const MUCH_NOISE = 0.04

const withoutText = (kept: readonly TextItem[]): boolean => !kept.some((item) => item.text.trim() !== '')

/** Whether a page shows enough text that was not read to be given to OCR. */
export function showsUnreadText(
  { unreadLetters, unreadShare, unreadLineShare }: InkReading,
  kept: readonly TextItem[],
): boolean {
  if (withoutText(kept)) return unreadLetters >= LEAST_LETTERS && unreadShare >= MUCH_UNREAD
  return unreadLineShare >= MUCH_IN_LINES || (unreadLetters >= LEFT_LETTERS && unreadShare >= MOSTLY_UNREAD)
}

/** Whether OCR is worth its time: the page shows unread text, or enough noise to hide some, or has none and grain. */
export function ocrHelps(ink: InkReading, kept: readonly TextItem[]): boolean {
  const mayHideText = isNoisy(ink) || (withoutText(kept) && ink.grainShare >= MUCH_GRAIN)
  return mayHideText || showsUnreadText(ink, kept)
}

/** Whether a page shows so much noise that it may hide print. */
export function isNoisy({ noiseShare }: InkReading): boolean {
  return noiseShare >= MUCH_NOISE
}

/** Fewer letters than these may stay unread on a page that counts as read. */
const LEFT_LETTERS = 8

/** Unread letters and those read with doubt may together be so many: nine of ten words shall be right. */
const LOST_SHARE = 0.1

/**
 * Whether a page still shows text that no word covers, after all that could be read was read: too much of it alone, or
 * together with the share of the page's letters that OCR read with doubt.
 */
export function leavesInk({ unreadLetters, unreadShare }: InkReading, doubtfulShare: number): boolean {
  const lost = unreadShare + (1 - unreadShare) * doubtfulShare
  return unreadLetters >= LEFT_LETTERS && (unreadShare >= MUCH_UNREAD || lost >= LOST_SHARE)
}

/** A page whose recognised letters have this share is a scan with some native text on it. */
const MOSTLY_SCANNED = 0.5

/**
 * As `leavesInk`, of the scanned part alone where it is most of a page: the native text beside it is read for certain, and
 * would thin out what is lost of the scan.
 */
export function leavesInkInScan(
  ink: InkReading,
  { letters, recognised }: { readonly letters: number; readonly recognised: number },
  doubtfulShare: number,
): boolean {
  if (recognised < MOSTLY_SCANNED * letters) return false
  return leavesInk(
    { ...ink, unreadShare: ink.unreadLetters / Math.max(1, ink.unreadLetters + recognised) },
    doubtfulShare,
  )
}
