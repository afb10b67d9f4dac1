import { expect, test } from 'vitest'
import { cleanPagesNeeded, lowerBound, upperBound } from '#src/route/audit/binomial.ts'

test('Clopper-Pearson bounds equal those of published tables', () => {
  expect(upperBound(5, 100, 0.025)).toBeCloseTo(0.11283, 4)
  expect(lowerBound(5, 100, 0.025)).toBeCloseTo(0.01643, 4)
  expect(upperBound(0, 59, 0.05)).toBeCloseTo(1 - 0.05 ** (1 / 59), 6)
  expect(upperBound(1, 10, 0.05)).toBeCloseTo(0.39416, 4)
  expect(lowerBound(500, 1000, 0.025)).toBeCloseTo(0.46855, 4)
})

test('Clopper-Pearson bounds of no pages, and of bad pages alone, are the widest', () => {
  expect([upperBound(0, 0, 0.05), upperBound(7, 7, 0.05), lowerBound(0, 7, 0.05)]).toEqual([1, 1, 0])
})

test('the number of pages for a certificate follows from its risk', () => {
  expect([0.02, 0.05, 0.1].map((risk) => cleanPagesNeeded(risk, 0.05))).toEqual([149, 59, 29])
})
