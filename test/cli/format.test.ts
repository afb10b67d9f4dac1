import { expect, test } from 'vitest'
import { exitCodeOf } from '#src/cli/exit-codes.ts'
import { duration, oneLine, plural, printable, rate } from '#src/cli/format.ts'
import { lineOf } from '#src/cli/progress.ts'

test('times are read as people say them', () => {
  expect([850, 12_000, 185_000, 7_620_000].map(duration)).toEqual(['850 ms', '12 s', '3 min 5 s', '2 h 7 min'])
})

test('numbers are grouped and nouns agree', () => {
  expect(plural(1, 'document')).toBe('1 document')
  expect(plural(300_000, 'document')).toBe('300,000 documents')
  expect([rate(0.25), rate(1234)]).toEqual(['0.3/s', '1,234/s'])
})

test('a name with control characters cannot reach the terminal', () => {
  expect(printable('a\u001b[31mb\n.pdf')).toBe('a\\x1b[31mb\\x0a.pdf')
  expect(oneLine('two\nlines')).toBe('two lines')
})

test('the exit code says what was not done', () => {
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 0 })).toBe(0)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 1, pending: 0 })).toBe(2)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 3 })).toBe(2)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 0, unsupported: 1 })).toBe(2)
  expect(exitCodeOf({ kind: 'halted', cause: 'credits', message: '' }, { failed: 1, pending: 3 })).toBe(3)
  expect(exitCodeOf({ kind: 'interrupted' }, { failed: 0, pending: 3 })).toBe(130)
})

test('the progress line leaves out what is nought and counts the rate of this process only', () => {
  const view = {
    settled: 600,
    total: 1000,
    pages: 4200,
    failed: 0,
    retries: 0,
    throttled: 0,
    elapsedMs: 10_000,
    settledHere: 100,
    gateLine: null,
  }
  expect(lineOf(view)).toBe('600 of 1,000 documents, 4,200 pages, 10/s, about 40 s left')
  expect(lineOf({ ...view, failed: 2, throttled: 5, gateLine: 'rate ~ 480/min learned' })).toBe(
    '600 of 1,000 documents, 4,200 pages, 10/s, 2 failed, 5 throttled, rate ~ 480/min learned, about 40 s left',
  )
})
