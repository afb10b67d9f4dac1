import { type PageGrade, rounded } from '@sluice/contract'
import type { PageQuality } from './signals.ts'
import type { LayoutQuality } from './signals.ts'
import type { PageSignals } from './signals.ts'
import { featuresOf } from './grade-features.ts'
import { GRADE_MODEL, probabilityOf } from './grade-model.ts'
import type { GradedQuality } from './quality-features.ts'
import { expectedQualityOf } from './quality-model.ts'

/** Grade and expected quality of an unreadable or unread page. */
const UNREAD = 0

/** Returns the grade of a page with its components. */
export function gradePage({ pageNumber, problems, signals, layout }: PageQuality): PageGrade {
  const isEmpty = signals.nativeLetters + signals.recognisedLetters === 0
  const isUnread = problems.includes('unreadable') || (isEmpty && problems.includes('too_large'))
  const grade = isUnread ? UNREAD : gradeOf(signals)
  const expected = isUnread ? UNREAD : qualityOf({ signals, problems })
  return { pageNumber, grade: rounded(grade), expected: rounded(expected), components: componentsOf(signals, layout) }
}

/** Returns the estimated probability that nine of ten words are correct, 0 to 1. */
export function gradeOf(signals: PageSignals): number {
  return Math.min(probabilityOf(featuresOf(signals), GRADE_MODEL), soundShare(signals), readShare(signals))
}

/** Returns the expected F1 of the words, 0 to 1. The upper bound is that of a page that lacks only its unread part. */
function qualityOf({ signals, problems }: GradedQuality): number {
  const read = readShare(signals)
  return Math.min(expectedQualityOf({ signals, problems }), soundShare(signals), (2 * read) / (1 + read))
}

/**
 * Returns the fraction of a page's ink below words. The training had no half-read page, such as after an OCR timeout,
 * so the models cannot predict this case.
 */
function readShare({ unreadShare }: PageSignals): number {
  return 1 - (unreadShare ?? 0)
}

/**
 * Returns the fraction of a page's letters with a meaning. No page of the training lacked any, so the models cannot
 * predict this case.
 */
function soundShare({ nativeLetters, recognisedLetters, garbledLetters }: PageSignals): number {
  return 1 - garbledLetters / Math.max(1, nativeLetters + recognisedLetters)
}

function componentsOf(signals: PageSignals, { layout, tables }: LayoutQuality): PageGrade['components'] {
  const { nativeLetters, recognisedLetters, garbledLetters, ghostShare, layerAgreement, ocr } = signals
  const sound = 1 - garbledLetters / Math.max(1, nativeLetters)
  const textLayer = Math.min(sound, 1 - (ghostShare ?? 0), layerAgreement ?? 1)
  return {
    textLayer: nativeLetters === 0 ? null : rounded(textLayer),
    ocr: ocr === null ? null : rounded(ocr.mean),
    layout: layout === null ? null : rounded(layout),
    tables: tables === null ? null : rounded(tables),
    unreadInk: signals.unreadShare === null ? null : rounded(1 - signals.unreadShare),
    language: recognisedLetters === 0 || signals.plausibleShare === null ? null : rounded(signals.plausibleShare),
  }
}
