import { expect, test } from 'vitest'
import type { PageDrawing } from '../../../packages/engine/src/pdf/ink/grey-picture.ts'
import { Random } from '../random.ts'
import { seedFrom } from '../seed.ts'
import { damaged, damageOf, jpegQuality } from './damage.ts'

const FIRST = seedFrom('DAMAGE_SEED', 1)

/** White with some dark bars, as lines of print are. */
const SHEET: PageDrawing = {
  width: 120,
  height: 160,
  perPoint: 2,
  grey: Uint8Array.from({ length: 120 * 160 }, (_, at) => {
    const [x, y] = [at % 120, Math.floor(at / 120)]
    return x > 20 && x < 90 && y > 30 && y % 12 < 4 ? 10 : 255
  }),
}

test('seeds draw fifteen kinds of damage and sheets without one, each about as often', () => {
  const counts = new Map<string, number>()
  for (let seed = FIRST; seed < FIRST + 8000; seed += 1) {
    const damage = damageOf(seed, new Random(seed))
    counts.set(damage, (counts.get(damage) ?? 0) + 1)
  }
  expect(counts.size).toBe(16)
  expect(Math.min(...counts.values())).toBeGreaterThan(350)
  expect(Math.max(...counts.values())).toBeLessThan(650)
})

test('every damage changes the sheet, the same way for the same seed, and leaves the undamaged one unchanged', () => {
  const before = SHEET.grey.slice()
  const damages = new Set(Array.from({ length: 200 }, (_, at) => damageOf(FIRST + at, new Random(FIRST + at))))
  for (const damage of damages) {
    const [once, again] = [damaged(SHEET, damage, new Random(7), 2), damaged(SHEET, damage, new Random(7), 2)]
    expect(again, damage).toEqual(once)
    expect(once.grey, damage).toHaveLength(once.width * once.height)
    if (damage === 'none') expect(once).toEqual(SHEET)
    else if (damage === 'jpeg') expect(jpegQuality(damage, new Random(7), 2)).toBeLessThan(10)
    else expect(once.grey, damage).not.toEqual(before)
  }
  expect(SHEET.grey).toEqual(before)
})
