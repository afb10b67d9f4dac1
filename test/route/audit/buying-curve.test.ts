import { expect, test } from 'vitest'
import { buyingCurve, byPrediction, leastShare } from '#src/route/audit/buying-curve.ts'

const PAGES = [
  { badProbability: 0.1, kept: 1, bought: 0.9 },
  { badProbability: 0.9, kept: 0, bought: 0.9 },
  { badProbability: 0.2, kept: 1, bought: 0.9 },
  { badProbability: 0.8, kept: 0.4, bought: 0.9 },
]

test('the buying curve buys the likeliest bad pages first, and may be better than buying all', () => {
  const curve = buyingCurve(byPrediction(PAGES))
  expect(curve.map(({ quality }) => Number(quality.toFixed(3)))).toEqual([0.6, 0.825, 0.95, 0.925, 0.9])
  expect(leastShare(curve, 0.9)).toBe(0.5)
  expect(leastShare(curve, 0.99)).toBeNull()
})
