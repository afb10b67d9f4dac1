import { expect, test } from 'vitest'
import { readTimetable } from '#src/queue/schedule.ts'

test.each([
  ['30s', { every: 30_000 }],
  ['10m', { every: 600_000 }],
  ['1 h', { every: 3_600_000 }],
  ['2d', { every: 172_800_000 }],
  ['0 2 * * *', { pattern: '0 2 * * *' }],
  ['*/5 * * * * *', { pattern: '*/5 * * * * *' }],
  ['0m', { pattern: '0m' }],
])('readTimetable reads %s', (text, timetable) => {
  expect(readTimetable(text)).toEqual(timetable)
})
