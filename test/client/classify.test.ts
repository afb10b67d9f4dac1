import { describe, expect, test } from 'vitest'
import { classify } from '#src/client/classify.ts'
/** Statuses that the reference client tries again (contract, retry rule 2). */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
import { type ParseOptionsInput, parseOptionsSchema } from '@sluice/contract'
import type { Verdict } from '#src/document/verdict.ts'
import { ERROR_FACTS, type ErrorFact, FIELD_FACTS, fieldsBelow, factsIn, readContract } from './contract-tables.ts'

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly options?: ParseOptionsInput
}

function verdictOn(status: number, body: object | string, { headers = {}, options = {} }: Sent = {}): Verdict {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const asked = { options: parseOptionsSchema.parse(options), nowMs: Date.parse('2026-11-21T12:00:00Z') }
  return classify({ status, headers, body: bytes, durationMs: 1 }, asked)
}

const failed = (error: string, code?: string) => ({ success: false, error, ...(code === undefined ? {} : { code }) })

const contract = readContract()

describe('the error catalogue', () => {
  test('matches the tables of the contract', () => {
    if (contract === null)
      return console.log('the contract is not beside this checkout: compared with a copy of its facts')
    for (const [heading, facts] of Object.entries(ERROR_FACTS)) expect(factsIn(contract, heading)).toEqual(facts)
    for (const [heading, fields] of Object.entries(FIELD_FACTS)) expect(fieldsBelow(contract, heading)).toEqual(fields)
  })

  const rows: readonly ErrorFact[] = Object.values(ERROR_FACTS).flat()

  test.each(rows)('retries %i "%s" exactly when the contract does (%s)', (status, text, column) => {
    const { kind } = verdictOn(status, failed(text))
    const retryable = column === null ? RETRYABLE_STATUSES.has(status) : column.startsWith('Yes')
    const triedAgain = kind === 'unavailable' || kind === 'throttled'
    expect(triedAgain).toBe(retryable)
  })

  test('retries no status but those of the reference client, 425 and 5xx', () => {
    const triedAgain = Array.from({ length: 300 }, (_, index) => 300 + index).filter((status) =>
      ['unavailable', 'throttled'].includes(verdictOn(status, failed('x')).kind),
    )
    // An unknown 5xx is a 500, but for the network that wants a login.
    const ofServers = Array.from({ length: 100 }, (_, index) => 500 + index).filter((status) => status !== 511)
    expect(triedAgain).toEqual([408, 425, 429, ...ofServers])
  })
})

describe('an answer without a code', () => {
  test.each([
    [401, 'key'],
    [402, 'credits'],
  ] as const)('of status %i halts the batch for its %s', (status, cause) => {
    expect(verdictOn(status, failed('no'))).toMatchObject({ kind: 'halted', cause })
  })

  test.each([
    [403, 'permission'],
    [404, 'address'],
    [405, 'address'],
    [302, 'address'],
    [409, 'address'],
    [407, 'proxy'],
    [511, 'proxy'],
  ] as const)('of status %i is a refusal for its %s, of one document or of all', (status, cause) => {
    expect(verdictOn(status, failed('no'))).toMatchObject({
      kind: 'refused',
      cause,
      failure: { code: 'refused', httpStatus: status },
    })
  })

  test.each([
    [413, 'too_large'],
    [415, 'unsupported_type'],
  ] as const)('of status %i rejects the document as %s', (status, code) => {
    expect(verdictOn(status, failed('no'))).toMatchObject({ kind: 'rejected', failure: { code, httpStatus: status } })
  })

  test('of status 408 requests a longer timeout up to the maximum, and does not count against the service', () => {
    const at = (timeout: number) => verdictOn(408, failed('Request Timeout'), { options: { timeout } })
    expect(at(30_000)).toMatchObject({ code: 'timeout', countsAgainstService: false, remedy: { timeoutMs: 60_000 } })
    expect(at(200_000)).toMatchObject({ remedy: { kind: 'timeout', timeoutMs: 300_000 } })
    expect(at(300_000)).toMatchObject({ kind: 'unavailable', remedy: { kind: 'none' } })
  })

  test('of status 429 is throttled by the limit in its text, or by an unknown limit', () => {
    expect(verdictOn(429, failed('Rate limit exceeded'))).toMatchObject({ kind: 'throttled', limit: 'rate' })
    expect(verdictOn(429, failed('Concurrency limit reached'))).toMatchObject({ limit: 'concurrency' })
    expect(verdictOn(429, '<html>slow down</html>', { headers: { 'retry-after': '7' } })).toMatchObject({
      kind: 'throttled',
      limit: 'unknown',
      retryAfterMs: 7000,
    })
  })

  test('of status 503 waits as long as the service asks', () => {
    expect(verdictOn(503, failed('down'), { headers: { 'retry-after': '120' } })).toMatchObject({
      retryAfterMs: 120_000,
    })
  })
})

describe('a 400 of the service', () => {
  test('about the options is a refusal', () => {
    for (const body of [
      { ...failed('Bad Request'), details: [{ code: 'too_big', path: ['timeout'], message: 'Too big' }] },
      { ...failed('Bad Request'), details: { formats: 'unknown' } },
      failed('Unrecognized key in body -- please review the v2 API documentation', 'BAD_REQUEST'),
      failed("Invalid JSON in the 'options' part."),
      failed('no waiting here', 'PARSE_UNSUPPORTED_OPTIONS'),
    ])
      expect(verdictOn(400, body)).toMatchObject({ kind: 'refused', cause: 'options' })
  })

  test('about the options names the fields', () => {
    const details = [
      { code: 'too_big', path: ['parsers', 0, 'maxPages'], message: 'Too big' },
      { code: 'unrecognized_keys', keys: ['formatz'], path: [], message: 'Unrecognized key' },
      null,
    ]
    expect(verdictOn(400, { ...failed('Bad Request'), details })).toMatchObject({
      failure: { message: 'The service answered 400: Bad Request (parsers.0.maxPages, formatz)' },
    })
  })

  test('about a URL or file in `details` rejects that document', () => {
    for (const path of [['url'], ['body', 'url'], ['file'], ['url', 0]]) {
      const body = { ...failed('Bad Request'), details: [{ code: 'invalid_format', path, message: 'Invalid URL' }] }
      expect(verdictOn(400, body)).toMatchObject({ kind: 'rejected', failure: { code: 'service_rejected' } })
    }
  })

  test('about a file rejects that file', () => {
    for (const [body, code] of [
      [failed('Uploaded file exceeds maximum size of 50MB.', 'BAD_REQUEST'), 'too_large'],
      [failed('.xyz is no good', 'UNSUPPORTED_FILE_TYPE'), 'unsupported_type'],
      [failed('locked', 'DOCUMENT_ENCRYPTED'), 'encrypted'],
      [failed('broken', 'DOCUMENT_CORRUPT'), 'corrupt'],
    ] as const)
      expect(verdictOn(400, body)).toMatchObject({ kind: 'rejected', failure: { code } })
  })
})

describe('a 422 of the service', () => {
  test('about the schema is a refusal', () => {
    expect(verdictOn(422, failed('Invalid JSON Schema'))).toMatchObject({ kind: 'refused', cause: 'options' })
  })

  test('is retried only when a model may answer differently', () => {
    const said = failed('The model could not produce a conforming result')
    const withModel: Sent = { options: { formats: ['json'] } }
    expect(verdictOn(422, said, withModel)).toMatchObject({ kind: 'unavailable', countsAgainstService: false })
    expect(verdictOn(422, said)).toMatchObject({ kind: 'rejected' })
  })
})

describe('an answer with a code', () => {
  const fast: Sent = { options: { parsers: [{ type: 'pdf', mode: 'fast' }] } }

  test('rejects a scan in mode fast and suggests mode auto', () => {
    const said = failed('OCR is required', 'SCRAPE_PDF_OCR_REQUIRED')
    expect(verdictOn(500, said, fast)).toMatchObject({
      kind: 'rejected',
      remedy: { kind: 'mode', mode: 'auto' },
      failure: {
        message: 'The document is a scan, and mode fast does not read scans: use --mode auto, or --ocr-fallback.',
        serviceCode: 'SCRAPE_PDF_OCR_REQUIRED',
      },
    })
    expect(verdictOn(500, said)).toMatchObject({ kind: 'rejected', remedy: { kind: 'none' } })
  })

  test('for too short a timeout names the timeout to use', () => {
    const needs = (ms: number) =>
      failed(`increase the timeout to at least ${ms}ms`, 'SCRAPE_PDF_INSUFFICIENT_TIME_ERROR')
    expect(verdictOn(500, needs(42_000))).toMatchObject({ kind: 'rejected', remedy: { timeoutMs: 42_000 } })
    expect(verdictOn(500, needs(450_000))).toMatchObject({
      remedy: { kind: 'none' },
      failure: { code: 'timeout', message: expect.stringContaining('Split the document or set maxPages') },
    })
  })

  test('for no free slot in time is a throttle without a longer timeout', () => {
    expect(verdictOn(408, failed('no slot', 'CONCURRENCY_QUEUE_TIMEOUT'))).toMatchObject({
      kind: 'throttled',
      limit: 'concurrency',
    })
    expect(verdictOn(408, failed('slow', 'SCRAPE_TIMEOUT'))).toMatchObject({
      kind: 'unavailable',
      remedy: { timeoutMs: 60_000 },
    })
  })

  test.each([
    [500, 'SCRAPE_UNSUPPORTED_FILE_ERROR', 'unsupported_type'],
    [500, 'SCRAPE_PDF_PREFETCH_FAILED', 'wrong_type'],
    [500, 'SCRAPE_DOCUMENT_ANTIBOT_ERROR', 'service_rejected'],
    [500, 'SCRAPE_JSON_CONTENT_TOO_LARGE', 'service_rejected'],
    [403, 'SCRAPE_PROMPT_INJECTION_DETECTED', 'service_rejected'],
    [403, 'unsafe_domain_blocked', 'service_rejected'],
    [403, 'THIRD_PARTY_DATA_TERMS_REQUIRED', 'service_rejected'],
    [403, 'UNSUPPORTED_SITE', 'service_rejected'],
    [403, 'SAFE_MODE_BLOCKED', 'service_rejected'],
    [403, 'SCRAPE_MEDIA_ACCESS_DENIED', 'service_rejected'],
    [404, 'SCRAPE_NO_CACHED_DATA', 'service_rejected'],
    [404, 'SCRAPE_LOCKDOWN_CACHE_MISS', 'service_rejected'],
  ])('of %i %s is permanent', (status, serviceCode, code) => {
    expect(verdictOn(status, failed('no', serviceCode))).toMatchObject({
      kind: 'rejected',
      failure: { code, serviceCode },
    })
  })

  test('for a failure of one document does not count against the service', () => {
    expect(verdictOn(500, failed('all failed', 'SCRAPE_ALL_ENGINES_FAILED'))).toMatchObject({
      kind: 'unavailable',
      countsAgainstService: false,
    })
    expect(verdictOn(500, failed('crash', 'UNKNOWN_ERROR'))).toMatchObject({ countsAgainstService: true })
  })

  test('from a service without a layout engine refuses every PDF', () => {
    const text = 'Typed blocks are unavailable because FirePDF is not configured'
    expect(verdictOn(500, failed(text))).toMatchObject({
      kind: 'refused',
      cause: 'options',
      failure: { message: expect.stringContaining(text) },
    })
  })
})

describe('the message of an error', () => {
  test('names the engine when the embedded engine answers', () => {
    const body = Buffer.from(JSON.stringify(failed('It is damaged', 'DOCUMENT_CORRUPT')))
    const asked = { options: parseOptionsSchema.parse({}), nowMs: 0, isLocal: true }
    const failure = { message: 'It is damaged' }
    expect(classify({ status: 400, headers: {}, body, durationMs: 1 }, asked)).toMatchObject({ failure })
  })

  test('contains `error`, `message` and the code in any letter case', () => {
    const said = (body: object): string => {
      const verdict = verdictOn(402, { success: false, ...body })
      return verdict.kind === 'halted' ? verdict.message : verdict.kind
    }
    const message = 'Ask the account holder to verify it.'
    expect(said({ error: 'unverified_credit_limit_reached', message })).toBe(
      `The service answered 402 unverified_credit_limit_reached: ${message}`,
    )
    expect(said({ error: 'Payment Required.', message })).toBe(`The service answered 402: Payment Required: ${message}`)
    expect(said({ error: 'No', message: 'No', code: 'brand-new.Code' })).toBe(
      'The service answered 402 brand-new.Code: No',
    )
    expect(said({ error: 'forbidden' })).toBe('The service answered 402: forbidden')
    expect(said({ error: 'No', code: 'no code at all' })).toBe('The service answered 402: No')
  })
})

test('the message of a redirect names its target without login or query', () => {
  const headers = { location: 'https://me:secret@parse.example/v2/parse?token=secret' }
  const message =
    'The service answered 307: an empty body; it redirects to https://parse.example/v2/parse, which Sluice does not follow: ' +
    'correct the address of the service'
  expect(verdictOn(307, '', { headers })).toMatchObject({ kind: 'refused', failure: { message } })
})

describe('an answer with a malformed body', () => {
  test.each([
    ['nothing', '', 'an empty body'],
    ['a page of HTML', '<!doctype html><title>502 Bad Gateway</title>', 'a page of HTML, "502 Bad Gateway"'],
    ['JSON that was cut off', '{"success":true,"data":{"markd', 'JSON that is cut off'],
    ['no object', '[1,2]', 'something else than JSON'],
    ['no document', '{"success":true}', 'JSON that holds no document'],
    ['a null for a document', '{"success":true,"data":null}', 'JSON that holds no document'],
  ])('of status 200 that holds %s fails one document or all, and may be charged', (_, body, what) => {
    expect(verdictOn(200, body)).toMatchObject({
      kind: 'refused',
      cause: 'proxy',
      failure: { code: 'bad_answer', message: `The service answered 200 with ${what}.` },
      unusable: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })

  test('of status 400 is attributed to a proxy', () => {
    for (const body of ['<html>', 'Bad request', '']) {
      expect(verdictOn(400, body)).toMatchObject({ kind: 'refused', cause: 'proxy', failure: { code: 'refused' } })
    }
  })

  test('of status 200 with success false is classified by its code', () => {
    expect(verdictOn(200, failed('no', 'DOCUMENT_ENCRYPTED'))).toMatchObject({ kind: 'rejected' })
    expect(verdictOn(200, failed('no'))).toMatchObject({ kind: 'unavailable', message: 'The service answered 200: no' })
  })

  test('of an error yields a message of one short line', () => {
    for (const body of [failed(`a\n\u001b[31m${'b'.repeat(5000)}`), `<title>${'c\n'.repeat(500)}`, failed('')]) {
      const verdict = verdictOn(503, body)
      const message = verdict.kind === 'unavailable' ? verdict.message : ''
      expect(message).toMatch(/^The service answered 503: [^\u0000-\u001f]{0,301}$/)
    }
  })
})

describe('the reason of a refusal', () => {
  test.each([
    [{ error: { message: 'the model is away' } }, 'the model is away'],
    [{ detail: [{ loc: ['body', 'files'], msg: 'field required' }] }, 'field required'],
    [{ detail: 'no such route' }, 'no such route'],
    [{ errors: [{ message: 'too many' }] }, 'too many'],
    [{ errors: [], details: 'it is closed' }, 'it is closed'],
    [{ success: false, error: 'Bad Request', details: 'name is empty' }, 'Bad Request: name is empty'],
    ['The service is closed today.', 'The service is closed today.'],
  ])('is found in %j', (body, reason) => {
    expect(verdictOn(404, body)).toMatchObject({ failure: { message: `The service answered 404: ${reason}` } })
  })
})
