import { describe, expect, test } from 'vitest'
import type { PageDrawing } from '../../../src/pdf/ink/grey-picture.ts'
import { inkMask } from '../../../src/pdf/ink/ink-mask.ts'
import { smallInk } from '../../../src/pdf/ink/text-ink.ts'
import { readInk } from '../../../src/pdf/ink/unread-ink.ts'
import { photograph } from '../../../../../test/support/mixed-pages/damage.ts'
import { randomPage } from '../../../../../test/support/mixed-pages/random-page.ts'
import { Random } from '../../../../../test/support/random.ts'
import { pdfOf } from '../../support/pdf-of.ts'
import { drawnPage } from '../../../../../test/support/mixed-pages/drawn-page.ts'

const SENTENCE = 'The quick brown fox jumps over the lazy dog while others look on. '

const page = (text: string, dpi = 50): Promise<PageDrawing> => drawnPage(pdfOf([text]), dpi)

/** The drawing with each pixel changed by `change`. */
function changed(drawing: PageDrawing, change: (level: number, x: number, y: number) => number): PageDrawing {
  const { width, grey } = drawing
  return { ...drawing, grey: grey.map((level, at) => change(level, at % width, Math.floor(at / width))) }
}

const unreadLetters = (drawing: PageDrawing): number => readInk(inkMask(drawing), []).unreadLetters

describe('ink that looks like text', () => {
  test('is counted by about the number of its letters, including faded and inverted print', async () => {
    const drawing = await page(SENTENCE)
    const letters = SENTENCE.replace(/\s/g, '').length
    for (const shown of [
      drawing,
      changed(drawing, (level) => 255 - (255 - level) * 0.12),
      changed(drawing, (level) => 255 - level),
    ]) {
      expect(unreadLetters(shown)).toBeGreaterThan(0.5 * letters)
      expect(unreadLetters(shown)).toBeLessThan(2 * letters)
    }
  })

  test('is found below the frame and the bars of a stamp', async () => {
    const { kind, damage, pdf } = await randomPage(711_003_068)
    expect([kind, damage]).toEqual(['header_on_scan', 'stamp'])
    const drawing = await drawnPage(pdf, 100)
    const stamped = smallInk(inkMask(drawing), { barred: true }).text.filter(({ x0, y0, x1, y1, perPoint }) => {
      return x0 > 60 * perPoint && x1 < 152 * perPoint && y0 > 92 * perPoint && y1 < 128 * perPoint
    })
    // "see she ooze" and "the lyings with" stand there.
    expect(stamped.reduce((sum, piece) => sum + piece.letters, 0)).toBeGreaterThan(12)
  })

  test('is found when the rules of a frame cross the letters of a line, but not in rules alone', async () => {
    // As if the letters were half as large: body text.
    const small = async (text: string): Promise<PageDrawing> => ({ ...(await page(text, 100)), perPoint: 200 / 72 })
    const [drawing, blank] = [await small(SENTENCE), await small('')]
    const rows = [...drawing.grey.keys()]
      .filter((at) => (drawing.grey[at] ?? 255) < 128)
      .map((at) => Math.floor(at / drawing.width))
    const [top, bottom] = [Math.min(...rows), Math.max(...rows)]
    // Both lie within the small letters: what they leave of these is lower than any letter.
    const bars = [Math.round(top + 0.4 * (bottom - top)), Math.round(top + 0.65 * (bottom - top))]
    const crossed = (from: PageDrawing): PageDrawing =>
      changed(from, (level, x, y) => (x > 20 && x < from.width - 20 && bars.includes(y) ? Math.min(level, 90) : level))
    expect(unreadLetters(crossed(drawing))).toBeGreaterThan(0.6 * unreadLetters(drawing))
    expect(unreadLetters(crossed(blank))).toBe(0)
  })

  test('is not found in uneven light, in shaded rows of a table and in photographs', async () => {
    const blank = await page('')
    const shade = changed(blank, (level, x, y) => level * (0.3 + (0.7 * (x / blank.width + y / blank.height)) / 2))
    const rows = changed(blank, (level, x, y) => (y % 30 < 15 && x > 40 && x < blank.width - 40 ? 0.83 * level : level))
    const photo = photograph(blank.width, blank.height, new Random(3))
    expect(unreadLetters(blank)).toBe(0)
    expect(unreadLetters(shade)).toBe(0)
    expect(unreadLetters(rows)).toBeLessThan(20)
    expect(unreadLetters({ ...photo, perPoint: blank.perPoint })).toBeLessThan(25)
  })

  test('is found in light that falls off steeply to an even shadow, but not at its bends', async () => {
    const { kind, damage, pdf, words } = await randomPage(75_000_015)
    expect([kind, damage]).toEqual(['scan', 'uneven'])
    const drawing = await drawnPage(pdf, 100)
    const print = { x0: 20, y0: 48, x1: 310, y1: 212 }
    const { readLetters, unreadLetters: besidePrint } = readInk(inkMask(drawing), [print])
    expect(besidePrint).toBeLessThan(3)
    expect(readLetters).toBeGreaterThan(words.join('').length)
  })
})
