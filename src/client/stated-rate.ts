import type { StatedRate } from '#src/document/verdict.ts'

const MINUTE_MS = 60_000

/** Shortest common periods, the fallback if a service states a limit without its window. */
const PERIODS_MS = [MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS]

/** Threshold between a delay and a timestamp: seconds since the epoch exceed any wait of a service. */
const EPOCH_SECONDS = 1e9

export interface StatedHints {
  /** Value of a header by its name in lower case; null if the answer has none. */
  readonly header: (name: string) => string | null
  /** The text of the error; empty if the answer is not one. */
  readonly text: string
  /** Our clock, epoch milliseconds. */
  readonly nowMs: number
}

/**
 * Parses the rate limit of an answer: the IETF headers (`RateLimit-Policy: "x";q=100;w=60` with `RateLimit:
 * "x";r=0;t=12`, and the older `RateLimit-Limit: 100, 100;w=60`), the `X-RateLimit-*` headers, or the text of a 429
 * ("Consumed (req/min): 101, Remaining (req/min): 0"). Null if it states none, or an implausible one.
 */
export function statedRate(hints: StatedHints): StatedRate | null {
  return fromPolicy(hints) ?? fromLimitHeaders(hints) ?? fromText(hints.text)
}

const count = (text: string | null | undefined): number | null => {
  const trimmed = text?.trim() ?? ''
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : null
}

const PARAMETERS = {
  q: /;\s*q\s*=\s*(\d{1,9})\b/,
  w: /;\s*w\s*=\s*(\d{1,9})\b/,
  r: /;\s*r\s*=\s*(\d{1,9})\b/,
} as const

const parameter = (text: string, name: keyof typeof PARAMETERS): number | null =>
  count(PARAMETERS[name].exec(text)?.[1])

/** Returns the strictest of several policies. */
function fromPolicy({ header }: StatedHints): StatedRate | null {
  const stated = header('ratelimit-policy')
  if (stated === null) return null
  const policies = stated.split(',').flatMap((policy) => {
    const quota = parameter(policy, 'q') ?? count(policy.split(';')[0])
    const seconds = parameter(policy, 'w')
    return quota === null || quota === 0 || seconds === null || seconds === 0 ? [] : [{ quota, seconds }]
  })
  const [least] = policies.toSorted((a, b) => a.quota / a.seconds - b.quota / b.seconds)
  if (least === undefined) return null
  const remaining = parameter(header('ratelimit') ?? '', 'r') ?? count(header('ratelimit-remaining'))
  return { requests: least.quota, windowMs: least.seconds * 1000, exact: true, reached: remaining === 0 }
}

function fromLimitHeaders({ header, nowMs }: StatedHints): StatedRate | null {
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    const limit = header(`${prefix}-limit`)
    if (limit === null) continue
    const requests = count(limit.split(/[,;]/)[0])
    if (requests === null || requests === 0) continue
    const seconds = parameter(limit, 'w')
    const reset = count(header(`${prefix}-reset`))
    const resetMs = reset === null ? 0 : reset > EPOCH_SECONDS ? reset * 1000 - nowMs : reset * 1000
    const periodMs = PERIODS_MS.find((period) => resetMs <= period) ?? resetMs
    const reached = count(header(`${prefix}-remaining`)) === 0
    if (seconds !== null && seconds > 0) return { requests, windowMs: seconds * 1000, exact: true, reached }
    return { requests, windowMs: periodMs, exact: false, reached }
  }
  return null
}

/** The refused request is consumed, too. */
function fromText(text: string): StatedRate | null {
  if (text === '') return null
  const consumed = count(/\bconsumed\s*\(req\/min\)\s*:\s*(\d{1,9})/i.exec(text)?.[1])
  const remaining = count(/\bremaining\s*\(req\/min\)\s*:\s*(\d{1,9})/i.exec(text)?.[1])
  if (consumed === null || consumed < 2 || remaining !== 0) return null
  return { requests: consumed - 1, windowMs: MINUTE_MS, exact: true, reached: true }
}
