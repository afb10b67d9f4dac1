import { hash } from 'node:crypto'
import type { SourceKey } from '#src/document/ids.ts'

/** Ids of a document's trace, from its enqueuing to its end. */
export interface DocumentTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: of the span that enqueued it. */
  readonly enqueueSpanId: string
}

/**
 * Context propagation without a carrier. The ids are a digest of a job's data. The process that enqueues and every
 * worker, at any attempt, therefore derive the same trace. `pipeline`: its id in Redis.
 */
export function traceOf(pipeline: string, key: SourceKey, queuedAt: number): DocumentTrace {
  const digest = hash('sha256', JSON.stringify([pipeline, key, queuedAt]), 'hex')
  return { traceId: digest.slice(0, 32), enqueueSpanId: digest.slice(32, 48) }
}

/** Length of the random part of a trace id in OpenTelemetry: its last 56 bits. */
const RANDOM_DIGITS = 14

/**
 * Sampling decision of a trace, equal in all processes with the same ratio. Consistent probability sampling of
 * OpenTelemetry: keeps a trace if the random part of its id reaches the threshold, which is the share to drop.
 */
export const isSampled = (traceId: string, ratio: number): boolean =>
  ratio > 0 && Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS
