import { expect, test } from 'vitest'
import { cutPower } from './power-loss/cut-power.ts'

/* In short; `npm run test:power-loss -- --points N --seed S` for more. */

test('after a loss of power at any moment, what was safe is there whole, and what had begun is there whole or not at all', async () => {
  const { breaches, safe } = await cutPower(1, 12)
  expect(breaches).toEqual([])
  expect(safe).toBeGreaterThan(50)
}, 60_000)
