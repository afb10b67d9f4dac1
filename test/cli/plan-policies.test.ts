import { expect, test } from 'vitest'
import type { SampledAnswer } from '#src/route/audit/audit-file.ts'
import { NO_POLICIES, policyPrices } from '#src/cli/plan-policies.ts'

const AGREEMENT = { text: 1, order: 1, headings: null, numbers: null }

test('under a share an audit says nothing of the least that is bought of PDFs that were not read', () => {
  const unread = { ...NO_POLICIES, unread: { documents: 1, pages: 100 } }
  const sample = Array.from({ length: 40 }, (_, at): SampledAnswer => ({
    key: 'some.pdf',
    pageNumber: at + 1,
    grade: 0.1,
    badProbability: 0.9,
    expectedQuality: 0.1,
    agreement: AGREEMENT,
    selfAgreement: null,
    credits: 1,
  }))
  const audit = { sample, pages: 100, firstPageCredits: 1, furtherPageCredits: 1 }
  const lowest = (buyShare: number): number | undefined => policyPrices(unread, audit, buyShare)[1]?.credits?.low
  expect(lowest(1)).toBeGreaterThan(0)
  expect(lowest(0.1)).toBe(0)
})
