import { describe, expect, test } from 'vitest'
import { ERROR_ROWS, type ErrorRow } from '../../client/contract-tables.ts'
import type { RecipeSettings } from '#src/client/rules.ts'
import { meaningOf } from '#src/client/service-codes.ts'
import { sourceKey } from '#src/document/ids.ts'
import { NO_COUNTS } from '#src/document/outcome.ts'
import type { Suspicion } from '#src/ports/queue.ts'
import { startTestRedis } from '../../support/redis.ts'
import { errorReply, parsedReply, type ReceivedRequest, type Reply } from '../../support/scripted-service.ts'
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../../support/workbench.ts'
import { shared } from '../../support/shared.ts'

/*
 * The worker against a service that answers every row of the error catalogue: outcome, attempts and waiting times, to
 * the millisecond. Nothing waits: what the worker answers its queue is read instead.
 */

const redis = await shared(startTestRedis())

const SICK = 'sick.pdf'
const open = (options: Omit<WorkbenchOptions, 'redis'>) => openWorkbench({ redis, ...options })

/** The same answer to the sick document each time; the healthy ones in between, as in a real batch, go well. */
const sickening =
  (reply: Reply) =>
  ({ file }: ReceivedRequest): Reply =>
    file?.content?.toString() === '%PDF-sick' ? reply : parsedReply()

async function attempts(bench: Workbench): Promise<readonly object[]> {
  const reported: object[] = []
  await bench.write(SICK, '%PDF-sick')
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const verdict = await bench.ingest(SICK, attempt)
    reported.push(verdict)
    if (verdict.kind === 'finish' || !verdict.counted) break
    await bench.write(`healthy-${attempt}.csv`, `healthy,${attempt}`)
    await bench.ingest(`healthy-${attempt}.csv`)
  }
  return reported
}

const sent = ({ service }: Workbench): readonly ReceivedRequest[] =>
  service.requests.filter(({ file }) => file?.content?.toString() === '%PDF-sick')

const letterOf = (bench: Workbench) => bench.deps.store.deadLetters.read(sourceKey(SICK))

const counted = (...seconds: number[]) =>
  seconds.map((s) => ({ kind: 'postpone', afterMs: s * 1000, counted: true, reason: expect.anything() }))
const FINISH = { kind: 'finish' }

const rowsOf = (wanted: (row: ErrorRow) => boolean): readonly (readonly [number, string, ErrorRow])[] =>
  ERROR_ROWS.filter(wanted).map((row) => [row.status, row.text, row])
const replyOf = ({ text, code, status }: ErrorRow, headers = {}): Reply => ({
  ...errorReply(status, text, code === undefined ? {} : { code }),
  headers,
})

const isThrottle = ({ status }: ErrorRow): boolean => status === 429
const isFatal = ({ status }: ErrorRow): boolean => [401, 402].includes(status)

describe('a retried error of the catalogue', () => {
  test.each(rowsOf((row) => row.retryable === 'Yes, with backoff' && !isThrottle(row)))(
    '(%i "%s") has five attempts that are 2, 4, 8 and 16 seconds apart, and then fails',
    async (status, text, row) => {
      await using bench = await open({ answers: sickening(replyOf(row)) })
      expect(await attempts(bench)).toEqual([...counted(2, 4, 8, 16), FINISH])
      expect(sent(bench).length).toBe(5)
      const letter = await letterOf(bench)
      expect(letter).toMatchObject({ attempts: 5, failure: { httpStatus: status } })
      expect(letter?.failure.message).toContain(text)
      expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, failed: 1, done: 4 })
    },
  )

  test('gives a document that is alone five attempts too, as the breaker counts each failure', async () => {
    await using bench = await open({ answers: () => errorReply(500, 'Internal Server Error') })
    await bench.write(SICK, '%PDF-sick')
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await bench.ingest(SICK, attempt)).toMatchObject(
        attempt < 5 ? { kind: 'postpone', counted: true } : FINISH,
      )
    }
    expect(sent(bench).length).toBe(5)
    expect(await letterOf(bench)).toMatchObject({ attempts: 5, failure: { httpStatus: 500 } })
  })

  test('is never retried earlier than the service asks', async () => {
    const answers = sickening({ ...errorReply(503, 'Service Unavailable'), headers: { 'retry-after': '6.5' } })
    await using bench = await open({ answers })
    expect(await attempts(bench)).toEqual([...counted(6.5, 6.5, 6.5, 6.5), FINISH])
  })
})

const isFinal = (row: ErrorRow): boolean => row.retryable !== 'Yes, with backoff' && !isFatal(row)

/** By its code, or by a status that is about one document. */
const isOfDocument = ({ status, text, code = text }: ErrorRow): boolean =>
  [413, 422].includes(status) || meaningOf(code)?.kind === 'rejected'

describe('an error of the catalogue that may affect every document', () => {
  test.each(rowsOf((row) => isFinal(row) && !isOfDocument(row)))(
    '(%i "%s") makes the document a suspect, and fails it when others succeed',
    async (status, text, row) => {
      await using bench = await open({ answers: sickening(replyOf(row)) })
      const [verdict] = await attempts(bench)
      expect(verdict).toMatchObject({ kind: 'postpone', counted: false, suspicion: { gotThrough: false } })
      expect(await letterOf(bench)).toBeNull()
      await bench.write('healthy.csv', 'healthy')
      await bench.ingest('healthy.csv')
      const { suspicion } = verdict as { suspicion: Suspicion }
      expect(await bench.ingest(SICK, 1, suspicion)).toEqual(FINISH)
      expect(await letterOf(bench)).toMatchObject({ attempts: 1, failure: { code: 'refused', httpStatus: status } })
      expect((await letterOf(bench))?.failure.message).toContain(text)
      expect(bench.halts).toEqual([])
    },
  )
})

describe('a final error of the catalogue', () => {
  test.each(rowsOf((row) => isFinal(row) && isOfDocument(row)))(
    '(%i "%s") fails the document at its first attempt',
    async (status, text, row) => {
      await using bench = await open({ answers: sickening(replyOf(row)) })
      expect(await attempts(bench)).toEqual([FINISH])
      expect(sent(bench).length).toBe(1)
      expect(await letterOf(bench)).toMatchObject({ attempts: 1, failure: { httpStatus: status } })
      expect((await letterOf(bench))?.failure.message).toContain(text)
      expect(bench.halts).toEqual([])
    },
  )
})

describe('an error of the catalogue that affects every document', () => {
  test.each(rowsOf(isFatal))('(%i "%s") halts the batch and keeps the document', async (status, text, row) => {
    await using bench = await open({ answers: sickening(replyOf(row)) })
    expect(await attempts(bench)).toEqual([expect.objectContaining({ kind: 'postpone', counted: false })])
    const cause = status === 401 ? 'key' : 'credits'
    expect(bench.halts).toEqual([[cause, expect.stringContaining(text)]])
    expect(await letterOf(bench)).toBeNull()
    expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, pending: 1 })
  })
})

// Reported to wait for more than a quarter of an hour, it goes back to the queue; else it is held, and sent again from there.
describe('a plan limit of the error catalogue', () => {
  test.each(rowsOf(isThrottle))(
    '(%i "%s") uses no attempt and waits as long as the service asks',
    async (_, __, row) => {
      await using bench = await open({ answers: sickening(replyOf(row, { 'retry-after': '1000' })) })
      const [verdict] = (await attempts(bench)) as { afterMs: number }[]
      expect(verdict).toMatchObject({ kind: 'postpone', counted: false })
      expect(verdict?.afterMs).toBeGreaterThanOrEqual(1_000_000)
      expect(await letterOf(bench)).toBeNull()
      expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, pending: 1 })
    },
  )
})

describe('a document after an answer', () => {
  const timeouts = (bench: Workbench) => sent(bench).map(({ options }) => options?.timeout)

  test('that names a longer timeout is sent once more with that timeout', async () => {
    const text = 'increase the timeout to at least 90000ms'
    const answers = [errorReply(500, text, { code: 'SCRAPE_PDF_INSUFFICIENT_TIME_ERROR' }), parsedReply('# In time')]
    await using bench = await open({ answers })
    expect(await attempts(bench)).toEqual([FINISH])
    expect(timeouts(bench)).toEqual([undefined, 90_000])
    expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 1 })
  })

  test('about a timeout gets twice the timeout at each attempt, up to the maximum of the contract', async () => {
    await using bench = await open({ answers: sickening(errorReply(408, 'slow', { code: 'SCRAPE_TIMEOUT' })) })
    expect(await attempts(bench)).toEqual([...counted(2, 4, 8, 16), FINISH])
    expect(timeouts(bench)).toEqual([undefined, 60_000, 120_000, 240_000, 300_000])
  })

  test('about an outage keeps its timeout', async () => {
    const replies = [errorReply(503, 'down'), errorReply(408, 'slow'), errorReply(500, 'down')]
    const answers = (request: ReceivedRequest): Reply => sickening(parsedReply('# Read'))(request)
    const failing = (request: ReceivedRequest): Reply =>
      request.file?.content?.toString() === '%PDF-sick' ? (replies.shift() ?? answers(request)) : answers(request)
    await using bench = await open({ answers: failing })
    expect(await attempts(bench)).toEqual([...counted(2, 4, 8), FINISH])
    expect(timeouts(bench)).toEqual([undefined, undefined, 60_000, 60_000])
  })

  test('about no free slot uses no attempt and keeps its timeout', async () => {
    const reply = {
      ...errorReply(408, 'no slot', { code: 'CONCURRENCY_QUEUE_TIMEOUT' }),
      headers: { 'retry-after': '1000' },
    }
    await using bench = await open({ answers: sickening(reply) })
    expect(await attempts(bench)).toEqual([expect.objectContaining({ kind: 'postpone', counted: false })])
    expect(timeouts(bench)).toEqual([undefined])
  })

  const scan = { code: 'SCRAPE_PDF_OCR_REQUIRED' }
  const settings: RecipeSettings = {
    options: { parsers: [{ type: 'pdf', mode: 'fast', pages: false, blocks: false }] },
  }

  test('about missing OCR is parsed in mode auto when that is allowed', async () => {
    const answers = [errorReply(500, 'this is a scan', scan), parsedReply('# Read')]
    await using bench = await open({ answers, ocrFallback: true, settings })
    expect(await attempts(bench)).toEqual([FINISH])
    expect(sent(bench).map(({ options }) => options?.parsers)).toEqual([[{ type: 'pdf', mode: 'fast' }], undefined])
    expect(await bench.deps.ledger.counts()).toEqual({ ...NO_COUNTS, done: 1 })
  })

  test('about missing OCR fails when mode auto is not allowed, and names the remedy', async () => {
    await using bench = await open({ answers: sickening(errorReply(500, 'this is a scan', scan)), settings })
    expect(await attempts(bench)).toEqual([FINISH])
    expect(sent(bench).length).toBe(1)
    expect((await letterOf(bench))?.failure.message).toContain('--ocr-fallback')
  })
})
