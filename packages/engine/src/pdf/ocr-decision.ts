import type { TextItem } from '@llamaindex/liteparse'
import type { InkReading } from './ink/unread-ink.ts'

/**
 * Threshold: fraction of unread letters. OCR reads a page without text above it. A page still above it after OCR gets a
 * problem.
 */
const MUCH_UNREAD = 0.05
/** Threshold in letters. Fewer letters are marks. */
const MIN_LETTERS = 3
/**
 * Threshold: fraction of the page's letters in unread lines of running text. OCR reads a page with text above it.
 * Generated pages with words in a picture or in outlines score 0.08 or more. In a sample of 27 real pages, charts,
 * logos, axes and menus score 0.05 or less, except for chart titles.
 */
const MUCH_IN_LINES = 0.06
/**
 * Threshold: unread fraction above which OCR reads any page. Between the thresholds the grade reports the loss: it is
 * below 0.5 at three tenths.
 */
const MOSTLY_UNREAD = 0.5

/**
 * Threshold: fraction of grain or noise on a page without text. OCR reads the page above it, because noise may hide
 * print.
 */
const MUCH_GRAIN = 0.15
/**
 * Threshold: fraction of noise on a page with text. Above it, a picture on the page may hide print. Grain of
 * photographs does not count.
 */
const MUCH_NOISE = 0.04

const withoutText = (kept: readonly TextItem[]): boolean => !kept.some((item) => item.text.trim() !== '')

/** True if a page shows enough unread text for OCR. */
export function showsUnreadText(
  { unreadLetters, unreadShare, unreadLineShare }: InkReading,
  kept: readonly TextItem[],
): boolean {
  if (withoutText(kept)) return unreadLetters >= MIN_LETTERS && unreadShare >= MUCH_UNREAD
  return unreadLineShare >= MUCH_IN_LINES || (unreadLetters >= LEFT_LETTERS && unreadShare >= MOSTLY_UNREAD)
}

/**
 * True if OCR is worth its time. The page shows unread text or enough noise to hide some, or it has grain and no text.
 */
export function ocrHelps(ink: InkReading, kept: readonly TextItem[]): boolean {
  const mayHideText = isNoisy(ink) || (withoutText(kept) && ink.grainShare >= MUCH_GRAIN)
  return mayHideText || showsUnreadText(ink, kept)
}

/** True if a page shows enough noise to hide print. */
export function isNoisy({ noiseShare }: InkReading): boolean {
  return noiseShare >= MUCH_NOISE
}

/** Threshold in letters. Fewer unread letters do not matter. */
const LEFT_LETTERS = 8

/** Threshold: combined fraction of unread and doubtful letters. Nine words of ten must be correct. */
const LOST_SHARE = 0.1

/**
 * True if a page still shows too much text without words after OCR. Unread text counts alone, and together with the
 * fraction of letters that OCR read with doubt.
 */
export function leavesInk({ unreadLetters, unreadShare }: InkReading, doubtfulShare: number): boolean {
  const lost = unreadShare + (1 - unreadShare) * doubtfulShare
  return unreadLetters >= LEFT_LETTERS && (unreadShare >= MUCH_UNREAD || lost >= LOST_SHARE)
}

/** Threshold: fraction of recognised letters. A page above it is a scan with some native text. */
const MOSTLY_SCANNED = 0.5

/**
 * Applies `leavesInk` to the scanned part if it is most of a page. Native text is certain, and would dilute the loss of
 * the scan.
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
