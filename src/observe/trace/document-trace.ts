import { hash } from 'node:crypto'
import type { SourceKey } from '#src/document/ids.ts'

/** Names the trace of a document, from when it was enqueued to its end. */
export interface DocumentTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: of the span that enqueued it. */
  readonly enqueueSpanId: string
}

/**
 * Context propagation without a carrier: the ids are a digest of what a job holds anyway, so the process that enqueues
 * and every process that works on the document, at any attempt, name the same trace. `pipeline`: its id in Redis.
 */
export function traceOf(pipeline: string, key: SourceKey, queuedAt: number): DocumentTrace {
  const digest = hash('sha256', JSON.stringify([pipeline, key, queuedAt]), 'hex')
  return { traceId: digest.slice(0, 32), enqueueSpanId: digest.slice(32, 48) }
}

/** Digits of a trace id that OpenTelemetry takes for random: its last 56 bits. */
const RANDOM_DIGITS = 14

/**
 * The sampling decision of a trace: all processes with the same ratio come to the same. Consistent probability sampling of
 * OpenTelemetry: a trace is kept when the random part of its id is at least as great as the share that is left out.
 */
export const isSampled = (traceId: string, ratio: number): boolean =>
  ratio > 0 && Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS
