import { expect, test } from 'vitest'
import { featuresOf } from '../src/grade/grade-features.ts'
import { probabilityOf } from '../src/grade/grade-model.ts'
import { NOTHING_KNOWN } from '../src/grade/signals.ts'
import { QUALITY_FEATURES, qualityFeaturesOf } from '../src/grade/quality-features.ts'
import { expectedQualityOf, QUALITY_MODEL, sumOfTrees } from '../src/grade/quality-model.ts'
import { ENGINE_VERSION } from '../src/version.ts'
import { boosted } from '../../../scripts/models/boosted.ts'
import { fitted } from '../../../scripts/models/logistic.ts'
import { Random } from '../../../test/support/random.ts'

const rest = { problems: [] }
const read = {
  ...NOTHING_KNOWN,
  nativeLetters: 1200,
  unreadShare: 0,
  unreadPixelShare: 0,
  inkLetters: 1200,
  ghostShare: 0,
}

test('the quality model has the engine version of the project', () => {
  expect(QUALITY_MODEL.engine).toBe(ENGINE_VERSION)
  expect(QUALITY_MODEL.trees.length).toBeGreaterThan(0)
  expect(qualityFeaturesOf({ signals: read, ...rest })).toHaveLength(QUALITY_FEATURES.length)
})

test('the quality model expects a page of text to be right, and one whose ink lies under no word to be wrong', () => {
  const ocr = { mean: 0.5, lowest: 0.1, doubtfulShare: 0.6 }
  const lost = {
    ...read,
    nativeLetters: 0,
    recognisedLetters: 30,
    unreadShare: 0.8,
    unreadPixelShare: 0.8,
    unreadLetters: 800,
    ocr,
  }
  expect(expectedQualityOf({ signals: read, ...rest })).toBeGreaterThan(0.97)
  expect(expectedQualityOf({ signals: lost, ...rest, problems: ['unread_ink', 'doubtful_text'] })).toBeLessThan(0.6)
})

test('boosted trees learn a step and a product of two features', () => {
  const random = new Random(5)
  const pages = Array.from({ length: 400 }, () => {
    const features = [random.next(), random.next(), random.next()]
    const [a = 0, b = 0] = features
    return { features, quality: a > 0.6 && b > 0.5 ? 0.2 : 0.9 }
  })
  const model = boosted(pages, 'test')
  expect(sumOfTrees([0.9, 0.9, 0.5], model)).toBeLessThan(0.35)
  expect(sumOfTrees([0.9, 0.1, 0.5], model)).toBeGreaterThan(0.8)
  expect(sumOfTrees([0.1, 0.9, 0.5], model)).toBeGreaterThan(0.8)
})

test('weights of a grade are found when nearly all pages are certain and a feature is rare', () => {
  const random = new Random(1)
  const none = featuresOf(NOTHING_KNOWN)
  const pages = Array.from({ length: 140 }, (_, at) => {
    const good = at % 5 !== 0
    const sign = (): number => (!good && random.next() < 0.6 ? random.next() : 0.01 * random.next())
    const signs = { unreadNative: sign(), ocrDoubt: sign(), lowestDoubt: sign(), implausibleShare: sign() }
    const missingLetters = random.next() < 0.05 ? random.next() : 0
    return { good, features: { ...none, ...signs, missingLetters, ghostShare: random.next() < 0.01 ? 1 : 0 } }
  })
  const model = fitted(pages, 'test')
  expect(Math.abs(model.intercept)).toBeLessThan(5)
  expect(probabilityOf(none, model)).toBeGreaterThan(0.9)
  expect(probabilityOf({ ...none, lowestDoubt: 0.9 }, model)).toBeLessThan(0.1)
})
