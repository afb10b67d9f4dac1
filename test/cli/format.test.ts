import { expect, test } from 'vitest'
import { exitCodeOf } from '#src/cli/print/exit-codes.ts'
import { duration, oneLine, plural, printable, rate, shownName } from '#src/cli/print/format.ts'
import { lineOf, liveLines } from '#src/cli/print/progress.ts'
import { fit } from '#src/cli/print/screen.ts'
import * as fc from '../support/fast-check.ts'

test('durations in messages are in words and units', () => {
  expect([850, 12_000, 185_000, 7_620_000].map(duration)).toEqual(['850 ms', '12 s', '3 min 5 s', '2 h 7 min'])
})

test('numbers in messages are grouped, and nouns agree with them', () => {
  expect(plural(1, 'document')).toBe('1 document')
  expect(plural(300_000, 'document')).toBe('300,000 documents')
  expect([rate(0.25), rate(1234)]).toEqual(['0.3/s', '1,234/s'])
})

test('control characters of a name never reach the terminal', () => {
  expect(printable('a\u001b[31mb\n.pdf')).toBe('a\\x1b[31mb\\x0a.pdf')
  expect(oneLine('two\nlines')).toBe('two lines')
})

test('characters that reorder a name or have no width are escaped in the terminal, except as spelling', () => {
  expect(printable('photo\u202egpj.exe')).toBe('photo\\x202egpj.exe')
  expect(printable('pay\u200bpal\u200d\ufeff \u2066x\u2069')).toBe('pay\\x200bpal\\x200d\\xfeff \\x2066x\\x2069')
  expect(printable('a\u{e0041}\u{e0042}')).toBe('a\\xe0041\\xe0042')
  for (const name of [
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d🔧',
    '\u200fשלום',
    'កម្ពុជា\u200bក',
    '🏴\u{e0067}\u{e0062}\u{e007f}',
    'co\u00adop',
  ])
    expect(printable(name)).toBe(name)
})

test('the exit code of a run reflects the work that was not done', () => {
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 0 })).toBe(0)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 1, pending: 0 })).toBe(2)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 3 })).toBe(2)
  expect(exitCodeOf({ kind: 'complete' }, { failed: 0, pending: 0, unsupported: 1 })).toBe(2)
  expect(exitCodeOf({ kind: 'halted', cause: 'credits', message: '' }, { failed: 1, pending: 3 })).toBe(3)
  expect(exitCodeOf({ kind: 'interrupted' }, { failed: 0, pending: 3 })).toBe(130)
})

test('the progress line omits zero counts and ends with the state of the gate', () => {
  const view = {
    settled: 600,
    total: 1000,
    pages: 4200,
    failed: 0,
    retries: 0,
    throttled: 0,
    perSecond: 10,
    leftMs: 40_000,
    notices: [],
  }
  expect(lineOf(view)).toBe('600 of 1,000 documents, about 40 s left, 10/s, 4,200 pages')
  expect(
    lineOf({ ...view, failed: 2, throttled: 5, notices: [{ parts: ['rate ~ 480/min learned'], cause: null }] }),
  ).toBe('600 of 1,000 documents, about 40 s left, 2 failed, 10/s, 5 throttled, 4,200 pages, rate ~ 480/min learned')
  expect(lineOf({ ...view, listed: 1_200, pages: 0 })).toBe(
    '600 of 1,000 documents, at least 40 s left, listing: 1,200 so far, 10/s',
  )
  expect(lineOf({ ...view, pages: 1, retries: 1, total: 1, settled: 0 })).toBe(
    '0 of 1 document, about 40 s left, 10/s, 1 retry, 1 page',
  )
})

test('the progress line names the document that the run waits for', () => {
  const view = { settled: 0, total: 1, pages: 0, failed: 0, retries: 0, throttled: 0, perSecond: 0, leftMs: null }
  const waiting = (ms: number): string => lineOf({ ...view, notices: [], longest: { key: 'x.pdf', ms } })
  expect([waiting(29_000), waiting(45_000)]).toEqual([
    '0 of 1 document',
    '0 of 1 document, waiting for x.pdf (request sent 45 s ago)',
  ])
})

const OUTAGE = {
  parts: ['the service is unavailable for 20 s', 'next probe at 05:03:12', '12 in flight'],
  cause: 'The service answered 503 Service temporarily unavailable for maintenance until further notice.',
}
const HELD = { settled: 3, total: 400, pages: 0, failed: 0, retries: 0, throttled: 0, perSecond: 0, leftMs: null }

test('the outage line truncates only the text of the service, at 80 and 120 columns', () => {
  const drawn = (columns: number) =>
    liveLines({ ...HELD, notices: [OUTAGE] }, columns).map((line) => fit(line, columns - 1))
  expect(drawn(80).slice(1)).toEqual(['  the service is unavailable for 20 s, next probe at 05:03:12, 12 in flight'])
  expect(drawn(120)[1]).toMatch(
    /^  the service is .* for 20 s, next probe at 05:03:12, 12 in flight: The service answered 503 .*…$/,
  )
  expect(drawn(300)[1]).toContain(OUTAGE.cause)
})

test('the state line keeps every part but the cause, at any width', () => {
  const words = fc
    .array(fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), { maxLength: 40 })
    .map((all) => all.join(' '))
  const outage = fc.record({ parts: fc.shuffledSubarray(OUTAGE.parts, { minLength: 1 }), cause: fc.option(words) })
  fc.assert(
    fc.property(
      fc.integer({ min: 24, max: 200 }),
      fc.array(outage, { minLength: 1, maxLength: 4 }),
      (columns, notices) => {
        const [, ...lines] = liveLines({ ...HELD, notices }, columns)
        const shown = lines
          .map((line) => fit(line, columns - 1))
          .join(' ')
          .replaceAll(/\s+/g, ' ')
        for (const { parts } of notices) expect(shown).toContain(parts.join(', '))
      },
    ),
  )
})

test('a long name is shortened in the middle, between characters', () => {
  expect(shownName('a/b.pdf')).toBe('a/b.pdf')
  const shown = shownName(`${'a'.repeat(1_100)}/${'𝄞'.repeat(1_100)}.pdf`)
  expect(shown).toMatch(/^a{60}…𝄞{28}\.pdf$/u)
})

test('the live lines keep the time left at any width, and name slow and failed documents', () => {
  const view = {
    settled: 150_800,
    total: 300_000,
    pages: 1_204_200,
    failed: 1_024,
    retries: 12,
    throttled: 345,
    perSecond: 10,
    leftMs: 14_880_000,
    notices: [],
    longest: { key: 'reports/q3.pdf', ms: 42_000 },
    lastFailure: {
      key: 'old/minutes.pdf',
      failure: { code: 'encrypted', stage: 'read', message: 'It needs a password.' },
    } as const,
  }
  for (const columns of [40, 80, 120, 300]) expect(liveLines(view, columns)[0]).toMatch(/ left|^150,800 of 300,000/)
  const [first = '', ...below] = liveLines(view, 80)
  expect(fit(first, 79)).toBe('150,800 of 300,000 documents, about 4 h 8 min left, 1,024 failed, 10/s')
  expect(below).toEqual([
    '  longest request: 42 s, reports/q3.pdf',
    '  last failure: old/minutes.pdf: It needs a password.',
  ])
})

test('a line is truncated to the columns of the terminal, with wide characters counted twice', () => {
  expect(fit('abcdef', 6)).toBe('abcdef')
  expect(fit('abcdefg', 6)).toBe('abcde…')
  expect(fit('漢字漢字', 5)).toBe('漢…')
})
