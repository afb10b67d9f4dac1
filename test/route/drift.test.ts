import { expect, test } from 'vitest'
import { driftOf, type ExpectedPage } from '../../scripts/models/drift.ts'
import { Random } from '../support/random.ts'

const random = new Random(7)
/** Twelve pages read badly and twelve read well, each expected within `noise` of its F1, moved by `shift`. */
const drawn = (noise: number, shift = 0): ExpectedPage[] =>
  Array.from({ length: 24 }, (_, at) => {
    const f1 = at < 12 ? 0.3 + 0.5 * random.next() : 0.93 + 0.07 * random.next()
    const expected = f1 + noise * (random.next() - 0.5) + shift
    return { f1, expected: Math.min(1, Math.max(0, expected)) }
  })

test('models with calibrated expectations pass the release check', () => {
  for (let draw = 0; draw < 50; draw += 1) expect(driftOf(drawn(0.1)).left).toEqual([])
})

test('models with random ranking, biased expectations or a single kind of page fail the release check', () => {
  for (let draw = 0; draw < 50; draw += 1) {
    const pages = drawn(0.1)
    const others = pages.map(({ f1 }, at) => ({ f1, expected: pages[(at * 7 + 5) % 24]?.expected ?? 0 }))
    expect(driftOf(others).left.join()).toMatch(/^AUC 0\.\d+ is below/)
    expect(driftOf(pages.map(({ f1 }) => ({ f1, expected: 0.97 }))).left.join()).toContain('bias 0.')
    expect(driftOf(drawn(0.1, -0.2)).left.join()).toContain('bias -0.')
    expect(driftOf(pages.filter(({ f1 }) => f1 > 0.9)).left.join()).toContain('AUC NaN')
  }
  expect(driftOf([]).left).not.toEqual([])
})
