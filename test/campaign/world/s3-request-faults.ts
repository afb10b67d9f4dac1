import { createHash } from 'node:crypto'
import type { Random } from '../../support/random.ts'

/** What becomes of one request on its way to the object store. */
export type RequestFault =
  | { readonly kind: 'pass'; readonly delayMs: number }
  /** The line breaks: before the store heard of it, when it was done, or in the middle of the answer. */
  | { readonly kind: 'cut'; readonly at: 'before' | 'after' | 'middle' }
  /** An error of the store, instead of doing what was asked for, or although it was done. */
  | { readonly kind: 'refuse'; readonly at: 'before' | 'after'; readonly error: S3ErrorName }

export const S3_ERRORS = { AccessDenied: 403, InternalError: 500, SlowDown: 503 } as const
type S3ErrorName = keyof typeof S3_ERRORS

const LONGEST_DELAY_MS = 300

export function requestFaultOf(random: Random, errorRate: number): RequestFault {
  if (random.next() >= errorRate) return { kind: 'pass', delayMs: 0 }
  return random.pick<() => RequestFault>([
    () => ({ kind: 'pass', delayMs: random.below(LONGEST_DELAY_MS) }),
    () => ({ kind: 'cut', at: random.pick(['before', 'after', 'middle'] as const) }),
    () => ({
      kind: 'refuse',
      at: random.pick(['before', 'after'] as const),
      error: random.pick(['InternalError', 'SlowDown'] as const),
    }),
  ])()
}

/** The same for the same request of the same run, whatever else arrives in between. */
export const seedOf = (seed: number, request: string, times: number): number =>
  seed ^ createHash('sha256').update(request).digest().readUInt32BE(0) ^ (times * 7919)
