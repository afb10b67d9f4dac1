import { describe, expect, test } from 'vitest'
import { extensionsOf } from '@sluice/contract'
import type { ParsedData } from '@sluice/contract'
import { createEngine } from '../src/server/create-engine.ts'
import { featuresOf } from '../src/grade/grade-features.ts'
import { GRADE_MODEL } from '../src/grade/grade-model.ts'
import { gradeOf, gradePage } from '../src/grade/grade-page.ts'
import { NOTHING_KNOWN } from '../src/grade/signals.ts'
import { ENGINE_VERSION } from '../src/version.ts'
import { parseWith } from './support/engine-client.ts'
import { pdfOf } from './support/pdf-of.ts'
import { shared } from '../../../test/support/shared.ts'

const engine = await shared(createEngine({ children: 1 }))

const READ = { ...NOTHING_KNOWN, nativeLetters: 1000, unreadShare: 0, unreadLetters: 0, inkLetters: 950, ghostShare: 0 }

describe('the grade of a page', () => {
  test('falls with unread ink, with doubtful OCR and with nothing read at all', () => {
    const grades = [
      READ,
      { ...READ, unreadShare: 0.5, unreadLetters: 500, inkLetters: 500 },
      { ...READ, nativeLetters: 0, unreadShare: 1, unreadLetters: 900, inkLetters: 0 },
    ].map(gradeOf)
    expect(grades[0]).toBeGreaterThan(0.9)
    expect(grades[1]).toBeLessThan(0.5)
    expect(grades[2]).toBeLessThan(0.5)
  })

  test('and the expected F1 are capped by the ink under no word, however confident OCR is', () => {
    const ocr = { mean: 0.96, lowest: 0.94, doubtfulShare: 0 }
    const scan = { ...READ, nativeLetters: 0, recognisedLetters: 800, inkLetters: 800, plausibleShare: 1, ocr }
    expect(gradeOf(scan)).toBeGreaterThan(0.9)
    const half = { ...scan, unreadShare: 0.5, unreadLetters: 800 }
    const known = { pageNumber: 1, problems: ['ocr_time'] as const, layout: { layout: 1, tables: null } }
    expect(gradePage({ ...known, signals: half })).toMatchObject({ grade: 0.5, expected: 0.667 })
  })

  test('is computed by weights for the present version of the engine, one for each feature', () => {
    expect(GRADE_MODEL.engine).toBe(ENGINE_VERSION)
    expect(Object.keys(GRADE_MODEL.weights)).toEqual(Object.keys(featuresOf(READ)))
  })
})

describe('the sluice field', () => {
  async function parse(headers: Record<string, string>): Promise<ParsedData> {
    const file = new File([pdfOf(['First page', 'Second page'])], 'two.pdf')
    const { body } = await parseWith(engine, { file, headers })
    if (body.data === undefined) throw new Error(body.error)
    return body.data
  }

  test('is sent only to a request that carries the header, with a grade for each page and the document', async () => {
    expect(await parse({})).not.toHaveProperty('sluice')
    const extensions = extensionsOf({ ...(await parse({ 'x-sluice-extensions': '1' })) })
    expect(extensions?.pageGrades?.map(({ pageNumber }) => pageNumber)).toEqual([1, 2])
    for (const page of extensions?.pageGrades ?? []) expect(page.grade).toBeGreaterThan(0.5)
    expect(extensions?.grade?.components.textLayer).toBe(1)
    expect(extensions?.grade?.components.ocr).toBeNull()
  })
})
