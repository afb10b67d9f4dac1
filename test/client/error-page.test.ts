import { describe, expect, test } from 'vitest'
import { classify } from '#src/client/classify.ts'
import { parseOptionsSchema } from '@sluice/contract'
import type { Verdict } from '#src/document/verdict.ts'

describe('an error page of a site within a 200', () => {
  const pageOf = (status: number, headers = {}, byAddress = true): Verdict => {
    const data = { markdown: '# sorry', metadata: { statusCode: status, creditsUsed: 3 } }
    const body = Buffer.from(JSON.stringify({ success: true, data }))
    const asked = { options: parseOptionsSchema.parse({}), byAddress, nowMs: Date.parse('2026-11-21T12:00:00Z') }
    return classify({ status: 200, headers, body, durationMs: 1 }, asked)
  }

  test.each([408, 425, 429, 500, 502, 503, 504, 599])(
    'of status %i is temporary, and does not count against the service',
    (status) => {
      expect(pageOf(status, { 'retry-after': '7' })).toMatchObject({
        kind: 'unavailable',
        code: 'unreadable',
        retryAfterMs: 7_000,
        countsAgainstService: false,
        errorPage: { credits: 3 },
      })
    },
  )

  test.each([
    [404, 'vanished'],
    [410, 'vanished'],
    [401, 'unreadable'],
    [403, 'unreadable'],
    [451, 'unreadable'],
  ])('of status %i is final for this document', (status, code) => {
    const failure = { code, stage: 'parse', httpStatus: status, message: expect.stringContaining(`${status}`) }
    expect(pageOf(status)).toMatchObject({ kind: 'rejected', failure, errorPage: { credits: 3 } })
  })

  test('is not recognised for a document sent as bytes, or below status 400', () => {
    expect([pageOf(503, {}, false).kind, pageOf(304).kind]).toEqual(['parsed', 'parsed'])
  })
})
