import { createHash } from 'node:crypto'
import { assertNever } from '#src/kit/assert-never.ts'
import type { Failure, FailureCode } from '#src/document/failure.ts'
import type { RefusalCause, StatedRate, Verdict } from '#src/document/verdict.ts'
import { describeForeign, type ErrorBody, fieldsNamedIn, jsonObject, oneLine, readErrorBody } from './error-body.ts'
import type { RequestContext, Meaning } from './meaning.ts'
import { nestedDeeperThan } from './json-depth.ts'
import { longerTimeout, ocrMode, timeoutNamedIn } from './remedies.ts'
import { retryAfterMs } from './retry-after.ts'
import { errorPageStatus, verdictOnErrorPage } from './error-page.ts'
import { meaningOf } from './service-codes.ts'
import { statedRate } from './stated-rate.ts'
import { meaningOfStatus } from './status-meanings.ts'
import { fieldsOf } from '@sluice/contract'
import { usageOf } from './usage.ts'

/**
 * Maximum nesting of an answer. Answers of the contract stay far below it: a JSON schema, or a chart in a block, has
 * some ten levels.
 */
const MAX_JSON_DEPTH = 500

/** A complete answer from the wire, with its content encoding decoded. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
  /** Reason why the body could not be decoded and stays encoded. */
  readonly undecodable?: string
  readonly durationMs: number
}

/**
 * Classifies an answer. The body's `code` takes precedence, then the status, then the text, because the status often
 * misleads. Total: any status with any body gets a verdict, without an exception.
 */
export function classify(answer: HttpAnswer, asked: RequestContext): Verdict {
  const verdict = meaningOfAnswer(answer, asked)
  const requestId = verdict.kind === 'parsed' ? null : requestIdOf(answer.headers, {})
  return requestId === null ? verdict : { ...verdict, requestId }
}

function meaningOfAnswer(answer: HttpAnswer, asked: RequestContext): Verdict {
  if (nestedDeeperThan(MAX_JSON_DEPTH, answer.body)) {
    const message = `The service answered ${answer.status} with JSON that is nested deeper than ${MAX_JSON_DEPTH} levels.`
    const verdict = rejected({ answer, message, code: 'bad_answer' })
    return { ...verdict, failure: { ...verdict.failure, repeats: true } }
  }
  const json = jsonObject(answer.body)
  const ok = answer.status >= 200 && answer.status < 300
  if (ok && json?.success !== false) return document(answer, json, asked)

  const error = readErrorBody(answer.body, json)
  const meaning = meaningOf(error.code) ?? (ok ? { kind: 'down' } : meaningOfStatus(answer.status, error, asked))
  return verdictOf(meaning, { answer, error, asked })
}

/** Classifies a success: with a document in it, or unusable and open to a retry. */
function document(answer: HttpAnswer, json: Record<string, unknown> | null, asked: RequestContext): Verdict {
  const { body, durationMs, headers } = answer
  const data = json?.data
  if (json !== null && data !== null && typeof data === 'object' && !Array.isArray(data)) {
    const status = asked.byAddress === true ? errorPageStatus(data) : null
    if (status !== null) {
      const { metadata } = data as { readonly metadata?: unknown }
      const waitMs = requestedWaitMs(answer, { fields: fieldsOf(metadata), text: '' }, asked)
      return verdictOnErrorPage(status, usageOf(data), waitMs)
    }
    const kept = answer.status === 206 ? withPartialWarning(json) : { body, json }
    return {
      kind: 'parsed',
      answer: { ...kept, requestId: requestIdOf(headers, data), durationMs, usage: usageOf(data) },
      ...statedRateOf(answer, '', asked),
    }
  }
  const what = answer.undecodable ?? (json === null ? describeForeign(body) : 'JSON that holds no document')
  const message = `The service answered ${answer.status} with ${what}.`
  const { failure } = rejected({ answer, message, code: 'bad_answer' })
  return { kind: 'refused', cause: 'proxy', failure, unusable: hashOf(body) }
}

/** RFC 9110, 15.3.7. The receipt must record it, too, because it holds no status. */
function withPartialWarning(whole: Record<string, unknown>): { body: Buffer; json: Record<string, unknown> } {
  const json = {
    ...whole,
    warnings: [whole.warnings ?? [], 'the answer holds only a part of the document (status 206)'].flat(),
  }
  return { body: Buffer.from(JSON.stringify(json)), json }
}

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex').slice(0, 16)

interface Case {
  readonly answer: HttpAnswer
  readonly error: ErrorBody
  readonly asked: RequestContext
}

/** Replaces the text of the service, which names one of the two remedies only. */
const SCAN_IN_FAST = 'The document is a scan, and mode fast does not read scans: use --mode auto, or --ocr-fallback.'

function verdictOf(meaning: Meaning, { answer, error, asked }: Case): Verdict {
  const code = error.code === null ? '' : ` ${error.code}`
  const answerer = asked.isLocal === true ? 'engine' : 'service'
  const said = `The ${answerer} answered ${answer.status}${code}: ${error.text}${redirectOf(answer)}`
  const base = { answer, error, message: said }
  switch (meaning.kind) {
    case 'rejected':
      // The embedded engine is part of this program: HTTP adds nothing to its sentence.
      return rejected({
        ...base,
        message: asked.isLocal === true && error.code !== null ? error.text : said,
        code: meaning.failure,
      })
    case 'needs-ocr': {
      const remedy = ocrMode(asked.options)
      const message = remedy.kind === 'none' ? said : SCAN_IN_FAST
      return { ...rejected({ ...base, message, code: 'service_rejected' }), remedy }
    }
    case 'needs-named-timeout': {
      const remedy = timeoutNamedIn(error.text, asked.options.timeout)
      const advice = remedy.kind === 'none' ? ' Split the document or set maxPages: no allowed timeout is enough.' : ''
      return { ...rejected({ ...base, message: said + advice, code: 'timeout' }), remedy }
    }
    case 'bad-options':
      return refused('options', { ...base, message: said + fieldsNamedIn(error.details) })
    case 'refused':
      return refused(meaning.cause, base)
    case 'halted':
      return { kind: 'halted', cause: meaning.cause, message: said }
    case 'throttled':
      return {
        kind: 'throttled',
        limit: meaning.limit,
        retryAfterMs: requestedWaitMs(answer, error, asked),
        message: said,
        ...statedRateOf(answer, error.text, asked),
      }
    case 'timed-out': {
      const isOwn = asked.isLocal === true && asked.byAddress !== true && error.code === 'SCRAPE_TIMEOUT'
      if (isOwn) return rejected({ ...base, code: 'timeout' })
      const remedy = longerTimeout(asked.options.timeout)
      const waitMs = requestedWaitMs(answer, error, asked)
      return { ...unavailable({ ...base, code: 'timeout', waitMs, countsAgainstService: false }), remedy }
    }
    case 'try-again':
      return unavailable({ ...base, waitMs: requestedWaitMs(answer, error, asked), countsAgainstService: false })
    case 'down':
      return unavailable({ ...base, waitMs: requestedWaitMs(answer, error, asked) })
    default:
      return assertNever(meaning)
  }
}

/** Target of a redirect, without a login or a query, which may be secret: often https:// instead of http://. */
function redirectOf({ status, headers }: HttpAnswer): string {
  const location = status >= 300 && status < 400 ? headerOf(headers, 'location') : null
  if (location === null) return ''
  const [address = ''] = location.replace(/\/\/[^/]*@/, '//').split(/[?#]/)
  return `; it redirects to ${oneLine(address)}, which Sluice does not follow: correct the address of the service`
}

interface Details {
  readonly answer: HttpAnswer
  readonly error?: ErrorBody
  readonly message: string
}

type Rejected = Extract<Verdict, { kind: 'rejected' }>
type Unavailable = Extract<Verdict, { kind: 'unavailable' }>

function rejected({ answer, error, message, code }: Details & { readonly code: FailureCode }): Rejected {
  const serviceCode = error?.code ?? null
  const failure: Failure = {
    code,
    stage: 'parse',
    message,
    ...(serviceCode === null ? {} : { serviceCode }),
    httpStatus: answer.status,
  }
  return { kind: 'rejected', failure, remedy: { kind: 'none' } }
}

function unavailable(
  details: Details & { code?: FailureCode; waitMs?: number | null; countsAgainstService?: boolean },
): Unavailable {
  return {
    kind: 'unavailable',
    code: details.code ?? 'service_unavailable',
    message: details.message,
    serviceCode: details.error?.code ?? null,
    httpStatus: details.answer.status,
    retryAfterMs: details.waitMs ?? null,
    remedy: { kind: 'none' },
    countsAgainstService: details.countsAgainstService ?? true,
  }
}

function refused(cause: RefusalCause, details: Details): Verdict {
  return { kind: 'refused', cause, failure: rejected({ ...details, code: 'refused' }).failure }
}

type ErrorText = Pick<ErrorBody, 'fields' | 'text'>

function requestedWaitMs({ headers }: HttpAnswer, error: ErrorText, { nowMs }: RequestContext): number | null {
  const header = headerOf(headers, 'retry-after')
  return retryAfterMs({ header, date: headerOf(headers, 'date'), body: error.fields, text: error.text, nowMs })
}

function statedRateOf(
  { headers }: HttpAnswer,
  text: string,
  { nowMs }: RequestContext,
): { readonly stated?: StatedRate } {
  const rate = statedRate({ header: (name) => headerOf(headers, name), text, nowMs })
  return rate === null ? {} : { stated: rate }
}

function requestIdOf(headers: HttpAnswer['headers'], data: object): string | null {
  const metadata = (data as { metadata?: { scrapeId?: unknown } | null }).metadata
  const id = headerOf(headers, 'x-request-id') ?? metadata?.scrapeId
  return typeof id === 'string' && id !== '' ? oneLine(id) : null
}

function headerOf(headers: HttpAnswer['headers'], name: string): string | null {
  const value = headers[name]
  return (typeof value === 'string' ? value : value?.[0]) ?? null
}
