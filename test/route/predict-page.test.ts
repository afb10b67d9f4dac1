import { expect, test } from 'vitest'
import { ENGINE_VERSION } from '@sluice/engine'
import { PREDICT_MODEL, predictPage, staleModelLine } from '#src/route/predict-page.ts'

const EXPECTED = Array.from({ length: 1001 }, (_, at) => at / 1000)

test('the model of the page predictor has the engine version of the project', () => {
  expect(PREDICT_MODEL.engine).toBe(ENGINE_VERSION)
  expect(staleModelLine(ENGINE_VERSION)).toBeNull()
})

test('the page predictor is monotonic in the expectation, and predicts only shares', () => {
  let before = { badProbability: 1, expectedQuality: 0 }
  for (const expected of EXPECTED) {
    const predicted = predictPage({ grade: 0.5, expected }, ENGINE_VERSION)
    expect(predicted.basis).toBe('model')
    expect(predicted.badProbability).toBeLessThanOrEqual(before.badProbability)
    expect(predicted.expectedQuality).toBeGreaterThanOrEqual(before.expectedQuality)
    expect(predicted.badProbability).toBeGreaterThanOrEqual(0)
    expect(predicted.expectedQuality).toBeLessThanOrEqual(1)
    before = predicted
  }
})

test('the page predictor interpolates between the knots of its calibration', () => {
  const model = {
    engine: '9',
    pages: 2,
    sources: 2,
    knots: [
      { expected: 0.2, bad: 0.8, quality: 0.5 },
      { expected: 0.6, bad: 0.4, quality: 0.9 },
    ],
  }
  expect(predictPage({ grade: 0, expected: 0.1 }, '9', model)).toEqual({
    badProbability: 0.8,
    expectedQuality: 0.5,
    basis: 'model',
  })
  expect(predictPage({ grade: 0, expected: 0.4 }, '9', model).badProbability).toBeCloseTo(0.6, 9)
  expect(predictPage({ grade: 0, expected: 0.4 }, '9', model).expectedQuality).toBeCloseTo(0.7, 9)
  expect(predictPage({ grade: 0, expected: 0.9 }, '9', model)).toEqual({
    badProbability: 0.4,
    expectedQuality: 0.9,
    basis: 'model',
  })
})

test('the page predictor refuses a model of another engine version, uses the grade and names the remedy', () => {
  expect(predictPage({ grade: 0.7, expected: 0.2 }, 'other')).toEqual({
    badProbability: 0.3,
    expectedQuality: 0.7,
    basis: 'grade',
  })
  expect(predictPage({ grade: 0.7, expected: null }, ENGINE_VERSION)).toMatchObject({
    expectedQuality: 0.7,
    basis: 'grade',
  })
  expect(staleModelLine('other')).toMatch(
    /trained on engine version .* read by version other: .* run scripts\/models\/train.ts/,
  )
})
