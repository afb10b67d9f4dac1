import { expect, test } from 'vitest'
import type { InkReading } from '#src/engine/pdf/ink/unread-ink.ts'
import { leavesInk } from '#src/engine/pdf/ocr-decision.ts'

const ink = (unreadShare: number, unreadLetters: number): InkReading => ({
  unreadShare,
  unreadLetters,
  readLetters: 400,
  unreadPixelShare: 0,
  grainShare: 0,
  ghostShare: 0,
})

test('a page leaves ink where a twentieth of its letters are unread, or a tenth together with doubtful ones', () => {
  expect(leavesInk(ink(0.06, 24), 0)).toBe(true)
  expect(leavesInk(ink(0.044, 18), 0)).toBe(false)
  expect(leavesInk(ink(0.044, 18), 0.065)).toBe(true)
  // A few marks beside text read with doubt: the confidence of OCR speaks for itself.
  expect(leavesInk(ink(0.044, 5), 0.3)).toBe(false)
})
