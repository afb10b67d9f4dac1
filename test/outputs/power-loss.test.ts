import { expect, test } from 'vitest'
import { cutPower } from './power-loss/cut-power.ts'

/* In short; `npm run test:power-loss -- --points N --seed S` for more. */

test('a folder store after a loss of power at any moment has safe documents whole, and begun ones whole or not at all', async () => {
  const { breaches, safe } = await cutPower(1, 12)
  expect(breaches).toEqual([])
  expect(safe).toBeGreaterThan(50)
}, 240_000)
