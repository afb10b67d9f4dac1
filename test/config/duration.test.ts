import { describe, expect, test } from 'vitest'
import { durationText, millisecondsOf } from '#config/duration.ts'
import { loadSettings } from '#config/load.ts'
import { timetableProblem } from '#config/timetable-problem.ts'

describe('a duration of the settings', () => {
  test.each([
    ['250', 250],
    ['250ms', 250],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    [' 10m ', 600_000],
    ['7d', 604_800_000],
    ['7 d', 604_800_000],
    ['7w', null],
    ['-5s', null],
    ['', null],
  ])('%j is %j ms', (text, milliseconds) => {
    expect(millisecondsOf(text)).toBe(milliseconds)
  })

  test('is written in the largest unit that divides it, and read back the same', () => {
    expect([604_800_000, 90_000, 5_400_000, 1_500, 0].map(durationText)).toEqual(['7d', '90s', '90m', '1500ms', '0ms'])
  })

  test('is accepted by flags and variables, in units and in milliseconds', () => {
    const loaded = loadSettings({ deadlineMs: '7d', graceMs: '5000' }, {}, { SLUICE_TAKEOVER_MS: '10m' })
    expect(loaded).toMatchObject({
      ok: true,
      settings: { deadlineMs: 604_800_000, graceMs: 5_000, takeoverMs: 600_000 },
    })
    expect(loadSettings({ deadlineMs: 'soon' }, {}, {})).toEqual({
      ok: false,
      problems: ['--deadline: a duration such as 90s, 10m, 12h or 7d is needed, or milliseconds (given: soon)'],
    })
    expect(loadSettings({ siteDelayMs: '2h' }, {}, {})).toEqual({
      ok: false,
      problems: ['--site-delay: it must be 1h or less (given: 2h)'],
    })
  })
})

describe('--every', () => {
  test.each(['30s', '10m', '1d', '0 2 * * *', '* * * * * *', '*/5 8-18 * * MON-FRI', '0 0 1,15 * ?', '0 0 L * *'])(
    'accepts %j',
    (text) => expect(timetableProblem(text)).toBe(null),
  )

  test.each([
    ['5', 'a duration such as'],
    ['0s', 'a duration such as'],
    ['0 25 * * *', 'the hour is 25; it must be from 0 to 23'],
    ['61 * * * *', 'the minute is 61'],
    ['0 0 0 * *', 'the day of the month is 0'],
    ['0 18-8 * * *', 'write the smaller number first'],
    ['* * * * MOON', 'the day of the week "MOON" cannot be read'],
    ['*/0 * * * *', 'the minute has the step 0'],
  ])('refuses %j: %s', (text, reason) => {
    expect(timetableProblem(text)).toContain(reason)
  })
})
