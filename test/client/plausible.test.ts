import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { readAnswer } from '#src/client/read-answer.ts'
import { usageOf } from '#src/client/usage.ts'

/** As a service may write them: JSON knows no limit, and 1e400 is read as infinite. */
const absurd = fc.constantFrom(
  '1e308',
  '1e400',
  '-1e400',
  '-1',
  '2.5',
  '1e15',
  '-0.5',
  '"7"',
  'null',
  '[]',
  '{}',
  'true',
)

test('impossible numbers in an answer never enter records, outputs or sums (property)', () => {
  fc.assert(
    fc.property(fc.array(absurd, { minLength: 9, maxLength: 9 }), ([a, b, c, d, e, f, g, h, i]) => {
      const text = `{"success":true,"data":{"markdown":"x","metadata":{"numPages":${a},"totalPages":${b},
        "concurrencyLimited":true,"concurrencyQueueDurationMs":${d}},
        "pages":[{"pageNumber":${e},"markdown":"x"}],"blocks":[{"pageNumber":${f},"width":${g},"status":"ok",
        "items":[{"content":"x","readingOrder":${h},"bbox":[0,0,1,${i}],"markdownSpan":[0,${c}]}]}]}}`
      const { pages, data } = readAnswer(Buffer.from(text), 0)
      const counts = [pages.parsed, pages.total].filter((count) => count !== null)
      for (const count of counts) expect(Number.isInteger(count) && count >= 0 && count <= 10_000_000).toBe(true)
      expect(data.pages?.[0]?.pageNumber).toBe(1)
      expect(data.blocks?.[0]?.pageNumber).toBe(1)
      // What is not finite would be written as null.
      const [block] = data.blocks?.[0]?.items ?? []
      expect(Number.isFinite(block?.readingOrder)).toBe(true)
      expect(block?.bbox?.every(Number.isFinite) ?? true).toBe(true)
      expect(JSON.stringify(pages)).not.toMatch(/e\+/)
      const usage = usageOf({ metadata: { creditsUsed: JSON.parse(a ?? 'null'), numPages: JSON.parse(b ?? 'null') } })
      expect(usage.credits === null || usage.credits <= 1e9).toBe(true)
      expect(usage.pages === null || usage.pages <= 1e7).toBe(true)
      expect(usage.queuedMs).toBe(0)
    }),
    { numRuns: 300 },
  )
})
