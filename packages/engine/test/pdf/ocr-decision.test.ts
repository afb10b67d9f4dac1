import type { TextItem } from '@llamaindex/liteparse'
import { expect, test } from 'vitest'
import { gradeOf } from '../../src/grade/grade-page.ts'
import type { InkReading } from '../../src/pdf/ink/unread-ink.ts'
import { leavesInk, leavesInkInScan, ocrHelps } from '../../src/pdf/ocr-decision.ts'
import { NOTHING_KNOWN } from '../../src/grade/signals.ts'

const ink = (unreadShare: number, unreadLetters: number, unreadLineShare = 0): InkReading => ({
  unreadShare,
  unreadLineShare,
  unreadLetters,
  readLetters: 400,
  unreadPixelShare: 0,
  grainShare: 0,
  noiseShare: 0,
  ghostShare: 0,
})

test('a page leaves ink when a twentieth of its letters are unread, or a tenth together with doubtful ones', () => {
  expect(leavesInk(ink(0.06, 24), 0)).toBe(true)
  expect(leavesInk(ink(0.044, 18), 0)).toBe(false)
  expect(leavesInk(ink(0.044, 18), 0.065)).toBe(true)
  // A few marks beside text read with doubt: the confidence of OCR speaks for itself.
  expect(leavesInk(ink(0.044, 5), 0.3)).toBe(false)
})

test('native text on a page does not dilute the loss of a scan next to it', () => {
  const found = ink(0.041, 12)
  expect(leavesInk(found, 0)).toBe(false)
  expect(leavesInkInScan(found, { letters: 340, recognised: 182 }, 0)).toBe(true)
  // A picture on a page of native text: its marks are a logo's more often than words.
  expect(leavesInkInScan(found, { letters: 600, recognised: 60 }, 0)).toBe(false)
})

test('a page with text gets OCR when noise may hide print, but not for the grain of a photograph', () => {
  const kept = [{ text: 'Smaller ones moor behind the breakwater' }] as TextItem[]
  expect(ocrHelps({ ...ink(0, 0), grainShare: 0.2 }, kept)).toBe(false)
  expect(ocrHelps({ ...ink(0.01, 5), grainShare: 0.2, noiseShare: 0.15 }, kept)).toBe(true)
})

test('a page with text gets OCR for lines of running text, and for labels only when they dominate', () => {
  const kept = [{ text: 'Smaller ones moor behind the breakwater' }] as TextItem[]
  expect(ocrHelps(ink(0.4, 160, 0.03), kept)).toBe(false)
  expect(ocrHelps(ink(0.06, 24, 0.06), kept)).toBe(true)
  expect(ocrHelps(ink(0.6, 160), kept)).toBe(true)
  expect(ocrHelps(ink(0.6, 5), kept)).toBe(false)
  // A page without text has nothing else to say.
  expect(ocrHelps(ink(0.06, 5), [])).toBe(true)
})

test('a page with labels left without OCR has a lower grade from three tenths of its letters on', () => {
  const graded = (unreadShare: number): number =>
    gradeOf({ ...NOTHING_KNOWN, nativeLetters: 600, unreadShare, unreadLetters: 600 * unreadShare, inkLetters: 500 })
  expect(graded(0.2)).toBeGreaterThan(0.5)
  expect(graded(0.32)).toBeLessThan(0.5)
})
