import { z } from 'zod'
import type { Feedback } from './feedback.ts'
import type { SentPermit } from './permit.ts'

/*
 * The border between TypeScript and Lua: what each script takes and what it answers, both as JSON. Replies are checked
 * here, so that a script of another version fails with the name of the field and not somewhere behind. Times are
 * milliseconds; keys that are undefined are not sent.
 */

/** Said to every script that decides. */
export interface Limits {
  readonly process: string
  readonly windowMs: number
  readonly leaseMs: number
  readonly rateCeiling?: number | undefined
  readonly placesCeiling?: number | undefined
  /** Before the keys that stand as long as their process lives; without it, no process is searched for. */
  readonly alivePrefix?: string
  /** Before the channels on which processes are called. */
  readonly wakePrefix: string
  /** In tests and simulations only, else Redis's clock. */
  readonly now?: number
}

/** A request that asks for a permit. `more`: its process has further ones that wait. */
export interface Wanted {
  readonly id: string
  readonly more: boolean
}

/** What each script takes. */
export interface Asks {
  readonly acquire: Limits & Wanted
  readonly release: Limits &
    Feedback & {
      readonly permit: SentPermit
      /** What is known of a document that failed is kept for so long. */
      readonly rememberMs: number
      /** Below 1; spreads requests that come again. */
      readonly random: number
      /** Takes the place over, if it can. */
      readonly next?: Wanted
    }
  readonly snapshot: Pick<Limits, 'windowMs' | 'leaseMs' | 'rateCeiling' | 'placesCeiling' | 'now'>
  readonly declare: Pick<Limits, 'process' | 'windowMs' | 'now'> & {
    readonly held: readonly { readonly id: string; readonly sentAt: number }[]
    readonly known: readonly string[]
    readonly upTo: number
  }
}

const waitReason = z.enum(['paused', 'outage', 'refused', 'places', 'rate'])
/** Why a request may not be sent now; each comes from one check of permit.lua. */
export type WaitReason = z.infer<typeof waitReason>

/** `waitMs`: when the request may go, as far as that can be known. `askInMs`: when to ask again at the latest, where that differs. */
const wait = z.object({
  kind: z.literal('wait'),
  reason: waitReason,
  waitMs: z.number(),
  askInMs: z.number().optional(),
})

const acquireReply = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('permit'),
    sentAt: z.number(),
    ahead: z.number(),
    seq: z.number(),
    bound: z.boolean(),
    /** Further requests were announced: what the next of them waits for. */
    next: wait.optional(),
  }),
  wait,
  z.object({
    kind: z.literal('halted'),
    cause: z.enum(['credits', 'key', 'permission']),
    message: z.string(),
    retryInMs: z.number(),
  }),
])

const releaseReply = z.object({
  counted: z.boolean(),
  retryInMs: z.number().optional(),
  /** What became of the next request, where one came along. */
  next: acquireReply.optional(),
  /** This process is among the first in line, and should ask again after so long. */
  pollInMs: z.number().optional(),
})

const shutCause = z.enum(['outage', 'credits', 'key', 'permission'])
export type ShutCause = z.infer<typeof shutCause>

const count = z.number()
const snapshotReply = z.object({
  rate: z.number().optional(),
  rateLearned: z.boolean(),
  places: z.number(),
  placesLearned: z.boolean(),
  inFlight: z.number(),
  processes: z.number(),
  nextInMs: z.number(),
  askedInMs: z.number().optional(),
  paused: z.boolean(),
  shut: shutCause.optional(),
  shutMessage: z.string().optional(),
  probeInMs: z.number(),
  serviceMs: z.number().optional(),
  admitted: z.number(),
  refused: z.object({ rate: count, concurrency: count, unknown: count, queued: count }),
  shutMs: z.object({ rate: count, outage: count, credits: count, key: count, permission: count }),
})

export const REPLIES = {
  acquire: acquireReply,
  release: releaseReply,
  snapshot: snapshotReply,
  declare: z.object({}),
} as const

/** The request must wait. */
export type WaitReply = z.infer<typeof wait>

/** What each script answers. */
export type Replies = { readonly [Name in keyof typeof REPLIES]: z.infer<(typeof REPLIES)[Name]> }
