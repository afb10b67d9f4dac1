import { describe, expect, test } from 'vitest'
import { type RetryHints, retryAfterMs } from '#src/client/retry-after.ts'
import { BACKOFF_CAP_MS, backoffMs, MAX_ATTEMPTS } from '#src/kit/backoff.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const hint = (hints: Partial<RetryHints>) =>
  retryAfterMs({ header: null, date: null, body: null, text: '', nowMs: NOW, ...hints })

describe('the wait that a service asks for', () => {
  test.each([
    ['0', 0],
    ['12', 12_000],
    ['1.5', 1500],
    ['0.0001', 1],
    [' 3 ', 3000],
    ['99999999999999999999', 2_147_483_647],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Saturday, 21-Nov-26 12:01:30 GMT', 90_000],
    ['Sat Nov 21 12:01:30 2026', 90_000],
    ['Retry 5', null],
    ['After 10', null],
    ['May 5', null],
    ['Sat, 21 Nov 2026', null],
    ['Sat, 99 Nov 2026 12:01:30 GMT', null],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['1e3', null],
    ['NaN', null],
    ['2026-11-21', null],
  ])('in the header "%s" is %s ms', (header, ms) => {
    expect(hint({ header })).toBe(ms)
  })

  test('as a date counts from the clock of the service when it is stated', () => {
    const header = 'Sat, 21 Nov 2026 12:01:30 GMT'
    expect(hint({ header, date: 'Sat, 21 Nov 2026 12:01:00 GMT' })).toBe(30_000)
  })

  test.each([
    [{ details: { retryAfter: 4 } }, 4000],
    [{ details: { retryAfterSeconds: 2.5 } }, 2500],
    [{ retry_after_seconds: '9' }, 9000],
    [{ retryAfter: -1, retry_after: 3 }, 3000],
    [{ details: [{ retryAfter: 4 }] }, null],
    [{ details: 'retryAfter' }, null],
  ])('in the body %j is %s ms', (body, ms) => {
    expect(hint({ body })).toBe(ms)
  })

  test.each([
    ['Rate limit exceeded. Remaining (req/min): 0. … or please retry after 12s, resets at Sat Nov 21', 12_000],
    ['Please try again in 2 minutes.', 120_000],
    ['retry in 250ms', 250],
    ['Request rate limit exceeded. Please wait and try again later.', null],
    ['Limit of 30 s reached', null],
  ])('in the text "%s" is %s ms', (text, ms) => {
    expect(hint({ text })).toBe(ms)
  })

  test('comes from the header, else from the body, else from the text', () => {
    const text = 'retry after 30s'
    expect(hint({ header: '10', body: { retryAfter: 20 }, text })).toBe(10_000)
    expect(hint({ header: 'soon', body: { retryAfter: 20 }, text })).toBe(20_000)
    expect(hint({ body: {}, text })).toBe(30_000)
  })
})

describe('the wait between counted attempts', () => {
  const longestJitter = (): number => 0.999_999

  test('is min(2^attempt, 30) seconds plus jitter below one second, for at most five attempts', () => {
    const attempts = Array.from({ length: MAX_ATTEMPTS }, (_, index) => index + 1)
    expect(attempts.map((attempt) => backoffMs(attempt, null, () => 0))).toEqual([2000, 4000, 8000, 16_000, 30_000])
    expect(attempts.map((attempt) => Math.floor(backoffMs(attempt, null, longestJitter)))).toEqual([
      2999, 4999, 8999, 16_999, 30_999,
    ])
    expect(BACKOFF_CAP_MS).toBe(30_000)
  })

  test('is never shorter than the wait that the service asks for', () => {
    expect(backoffMs(1, 60_000, longestJitter)).toBeGreaterThanOrEqual(60_000)
  })
})
