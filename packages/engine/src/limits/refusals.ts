import { ApiError } from '../api-error.ts'
import type { RateDecision } from './rate-window.ts'

type Refused = Extract<RateDecision, { readonly allowed: false }>

/** Text of the contract, and the addition of the hosted service. */
export function rateLimitExceeded({ consumed, retryAfterMs }: Refused, nowMs: number): ApiError {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const resets = new Date(nowMs + retryAfterMs).toISOString()
  return new ApiError({
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: `Rate limit exceeded. Consumed (req/min): ${consumed}, Remaining (req/min): 0. Please retry after ${seconds}s, resets at ${resets}`,
    retryAfterSeconds: seconds,
  })
}

/** `Retry-After` of one second is a guess, because the next free place is unknown. */
export function concurrencyLimitReached(): ApiError {
  return new ApiError({
    status: 429,
    code: 'CONCURRENCY_LIMIT_REACHED',
    message: 'Concurrency limit reached',
    retryAfterSeconds: 1,
  })
}

export function insufficientCredits(): ApiError {
  return new ApiError({
    status: 402,
    code: 'INSUFFICIENT_CREDITS',
    message: 'Payment Required: Insufficient credits to perform this request.',
  })
}

export function noRetentionArrangement(): ApiError {
  return new ApiError({
    status: 403,
    code: 'FORBIDDEN',
    message: 'Forbidden: this API key may not use zeroDataRetention.',
  })
}

/** A longer timeout does not help. Less concurrency does. */
export function queueTimeout(waitedMs: number): ApiError {
  return new ApiError({
    status: 408,
    code: 'CONCURRENCY_QUEUE_TIMEOUT',
    message: `Request Timeout: no converter became free within ${waitedMs} ms.`,
  })
}
