import { expect, test } from 'vitest'
import { sourceKey } from '#src/document/ids.ts'
import { Events } from '#src/events.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { summaryOf } from '#src/cli/print/summary.ts'

const NOTHING = { done: 0, partial: 0, failed: 0, skipped: 0, pending: 0, gone: 0 }

const ENDED = {
  outcome: 'done',
  again: false,
  failure: null,
  problems: [],
  requestId: null,
  contentHash: null,
  cost: null,
  pages: null,
  grade: null,
  durationMs: 1,
  attempts: 1,
} as const

function headline(
  enqueued: number,
  here: number,
  found: { unchanged: number; done: number; pending?: number; elsewhere?: number },
): string {
  const events = new Events()
  const tally = tallyOf(events)
  const key = sourceKey('a.pdf')
  for (let at = 0; at < found.unchanged; at++) events.emit('document:seen', { key, change: 'unchanged' })
  events.emit('scan:finished', { seen: found.unchanged + enqueued, enqueued, durationMs: 1 })
  for (let at = 0; at < here; at++) events.emit('document:settled', { key, ...ENDED })
  const { done, pending = 0, elsewhere = 0 } = found
  events.emit('document:settled', { key, ...ENDED, again: true })
  const summary = summaryOf({
    end: { kind: 'complete' },
    counts: { ...NOTHING, done, pending },
    doneBefore: found.unchanged,
    endedSince: here + elsewhere,
    tally,
    skipped: tally.skipped,
    elapsedMs: 2_000,
    out: 'file:///out/',
    letters: [],
    ambiguous: 0,
  })
  return summary.split('\n')[0] ?? ''
}

test.each([
  [1, false, 'stopped by hand after 2 s; run again to continue'],
  [1, true, 'stopped by hand after 2 s; watch again to continue'],
  [0, true, 'stopped by hand after 2 s'],
])('the headline of a stop with %i pending (watch: %s) is %s', (pending, follows, expected) => {
  const tally = tallyOf(new Events())
  const text = summaryOf({
    end: { kind: 'interrupted' },
    counts: { ...NOTHING, pending },
    doneBefore: 0,
    endedSince: 0,
    tally,
    skipped: tally.skipped,
    elapsedMs: 2_000,
    out: 'out',
    letters: [],
    ambiguous: 0,
    follows,
  })
  expect(text.split('\n')[0]).toBe(expected)
})

test.each([
  ['18 documents in 2 s, 9.0/s, 222 by other workers', headline(240, 18, { unchanged: 0, done: 240, elsewhere: 222 })],
  ['1 document in 2 s, 0.5/s, 20 unchanged', headline(1, 1, { unchanged: 20, done: 21 })],
  [
    '2 documents in 2 s, 1.0/s, 3 by other workers, 7 unchanged',
    headline(6, 2, { unchanged: 7, done: 12, pending: 1, elsewhere: 3 }),
  ],
  ['0 documents in 2 s, 0.0/s, 5 by other workers', headline(5, 0, { unchanged: 0, done: 5, elsewhere: 5 })],
  ['no document to parse (2 s)', headline(0, 0, { unchanged: 0, done: 3 })],
  ['1 document in 2 s, 0.5/s', headline(60, 1, { unchanged: 0, done: 1, elsewhere: -1 })],
])('the summary of a run reads "%s"', (expected, said) => {
  expect(said).toBe(expected)
})

test.each([
  ['key', 'Unauthorized', 'halted: Unauthorized\nnext: check PARSE_API_KEY'],
  ['credits', 'Payment Required', 'halted: Payment Required\nnext: add credits'],
  ['address', 'Not Found', 'halted: Not Found\nnext: check PARSE_API_URL'],
  ['budget', 'the budget is spent. Raise it', 'halted: the budget is spent. Raise it\n  0 seen'],
] as const)('a run halted by %s reports it once, with the next step', (cause, message, expected) => {
  const summary = summaryOf({
    end: { kind: 'halted', cause, message },
    counts: NOTHING,
    doneBefore: 0,
    endedSince: 0,
    tally: tallyOf(new Events()),
    skipped: new Map(),
    elapsedMs: 1,
    out: 'out',
    letters: [],
    ambiguous: 0,
  })
  expect(summary).toContain(expected)
  expect(summary.match(/halted:/g)).toHaveLength(1)
})

test('the summary of a run names partial documents with their reasons, and counts the rest', () => {
  const events = new Events()
  const tally = tallyOf(events)
  for (let at = 1; at <= 12; at++) {
    events.emit('document:settled', {
      ...ENDED,
      key: sourceKey(`scan-${at}.pdf`),
      outcome: 'partial',
      problems: ['page 1: unread ink', `page 2: ${at}`],
    })
  }
  const summary = summaryOf({
    end: { kind: 'complete' },
    counts: { ...NOTHING, partial: 12 },
    doneBefore: 0,
    endedSince: 12,
    tally,
    skipped: new Map(),
    elapsedMs: 1,
    out: 'out',
    letters: [],
    ambiguous: 0,
  })
  expect(summary).toContain('partial:\n  scan-1.pdf: page 1: unread ink; page 2: 1\n')
  expect(summary).toContain('  scan-10.pdf: page 1: unread ink; page 2: 10\n  and 2 more\n')
})
