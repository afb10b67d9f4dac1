/** Longest delay that a timer can hold (Node, 2³¹ − 1 ms). */
const MAX_MS = 2_147_483_647

/** Fields of an error body, or of its `details`, in which real services state a time in seconds. */
const SECONDS_FIELDS = ['retryAfter', 'retryAfterSeconds', 'retry_after', 'retry_after_seconds'] as const

export interface RetryHints {
  /** Raw `Retry-After` header, or null. */
  readonly header: string | null
  /** The service's own clock, from its `Date` header: the baseline for an HTTP date, because our clock may be off. */
  readonly date: string | null
  /** The parsed error body, or null. */
  readonly body: Readonly<Record<string, unknown>> | null
  /** The text of the error. */
  readonly text: string
  /** Our clock, epoch milliseconds: the fallback if the service sends no date. */
  readonly nowMs: number
}

/**
 * Minimum wait in milliseconds that the service asked for, or null. The header wins, then the body's fields, then its
 * text ("retry after 12s"), the only source at some services.
 */
export function retryAfterMs(hints: RetryHints): number | null {
  return fromHeader(hints) ?? fromFields(hints.body) ?? fromText(hints.text)
}

/**
 * The three forms of RFC 9110, section 5.6.7. `Date.parse` alone would read "Retry 5" and "May 5" as past dates, and so
 * as a delay of 0.
 */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Parses an HTTP date into epoch milliseconds, or NaN. The asctime form names no zone and means GMT. */
function httpDate(text: string): number {
  if (!HTTP_DATES.some((form) => form.test(text))) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}

/** Parses seconds, decimals allowed, or an HTTP date; any other text names no delay. */
function fromHeader({ header, date, nowMs }: RetryHints): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return inMs(Number(text))
  const moment = httpDate(text)
  if (Number.isNaN(moment)) return null
  const serviceNow = httpDate(date ?? '')
  return inMs((moment - (Number.isNaN(serviceNow) ? nowMs : serviceNow)) / 1000)
}

function fromFields(body: RetryHints['body']): number | null {
  for (const holder of [body?.details, body]) {
    if (holder === null || typeof holder !== 'object') continue
    for (const name of SECONDS_FIELDS) {
      const seconds = Number((holder as Record<string, unknown>)[name] ?? Number.NaN)
      if (Number.isFinite(seconds) && seconds >= 0) return inMs(seconds)
    }
  }
  return null
}

const TEXT =
  /\b(?:retry|try again|wait)\b[^.\d]{0,40}?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec|seconds?|m|min|minutes?)\b/i

function fromText(text: string): number | null {
  const [, amount, unit = 's'] = TEXT.exec(text) ?? []
  if (amount === undefined) return null
  const milli = /^m(s|illi)/i.test(unit)
  const minutes = !milli && /^m/i.test(unit)
  return inMs(Number(amount) * (milli ? 0.001 : minutes ? 60 : 1))
}

/** Rounds up: a wait of a millisecond less would retry too early. */
function inMs(seconds: number): number {
  return Math.min(Math.ceil(Math.max(seconds, 0) * 1000), MAX_MS)
}
