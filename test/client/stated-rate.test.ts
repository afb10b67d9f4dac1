import { describe, expect, test } from 'vitest'
import { statedRate } from '#src/client/stated-rate.ts'

const NOW = Date.UTC(2026, 0, 1)

const rateOf = (headers: Readonly<Record<string, string>>, text = '') =>
  statedRate({ header: (name) => headers[name] ?? null, text, nowMs: NOW })

describe('the rate limit that an answer states', () => {
  test.each<[string, Record<string, string>, [number, number, boolean, boolean] | null]>([
    [
      'a policy',
      { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' },
      [100, 60_000, true, false],
    ],
    [
      'a policy that is reached',
      { 'ratelimit-policy': '"burst";q=10;w=1', ratelimit: '"burst";r=0;t=1' },
      [10, 1_000, true, true],
    ],
    [
      'two policies: the one that lets through less',
      { 'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400' },
      [1_000, 86_400_000, true, false],
    ],
    [
      'a policy of an older draft',
      { 'ratelimit-policy': '100;w=60', 'ratelimit-remaining': '0' },
      [100, 60_000, true, true],
    ],
    [
      'a limit with its window',
      { 'ratelimit-limit': '100, 100;w=10', 'ratelimit-reset': '3' },
      [100, 10_000, true, false],
    ],
    ['a limit without one', { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '0' }, [500, 60_000, false, true]],
    [
      'a reset within the hour',
      { 'x-ratelimit-limit': '500', 'x-ratelimit-reset': '1200' },
      [500, 3_600_000, false, false],
    ],
    [
      'a reset by the clock',
      { 'x-ratelimit-limit': '60', 'x-ratelimit-reset': `${NOW / 1000 + 30}` },
      [60, 60_000, false, false],
    ],
    ['nothing', {}, null],
    ['a limit of none', { 'x-ratelimit-limit': '0' }, null],
    ['no number', { 'x-ratelimit-limit': 'unlimited', 'ratelimit-policy': '"x";q=many;w=60' }, null],
    ['a window of none', { 'ratelimit-policy': '"x";q=10;w=0' }, null],
  ])('%s', (_, headers, expected) => {
    const rate = rateOf(headers)
    expect(rate && [rate.requests, rate.windowMs, rate.exact, rate.reached]).toEqual(expected)
  })

  test('in the text of a 429 includes the refused request', () => {
    const text =
      'Rate limit exceeded. Consumed (req/min): 501, Remaining (req/min): 0. Upgrade your plan or please retry after 12s'
    expect(rateOf({}, text)).toEqual({ requests: 500, windowMs: 60_000, exact: true, reached: true })
    expect(rateOf({}, 'Consumed (req/min): 1, Remaining (req/min): 0')).toBeNull()
    expect(rateOf({}, 'Rate limit exceeded.')).toBeNull()
  })
})
