import { z } from 'zod'
import type { Permit } from './admission.ts'
import type { Feedback } from './feedback.ts'
import type { Declaration } from './own-permits.ts'

/*
 * The border between TypeScript and Lua: what each script takes and what it answers, both as JSON. Replies are checked
 * here, so that a script of another version fails with the name of the field and not somewhere behind. Times are
 * milliseconds; keys that are undefined are not sent.
 */

/** Said to every script that decides. `now`: in tests and simulations only, else Redis's clock. */
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
  readonly now?: number
}

/** A request that asks for a place. `more`: its process has further ones that wait. `unread`: its document is not read yet. */
export interface Place {
  readonly id: string
  readonly more: boolean
  readonly unread?: boolean | undefined
}

export type EnterAsk = Limits & Place
export type LeaveAsk = Limits &
  Feedback & {
    readonly permit: Permit
    /** What is known of a document that failed is kept for so long. */
    readonly rememberMs: number
    /** Below 1; spreads requests that come again. */
    readonly random: number
    /** Takes the place over, if it can. */
    readonly next?: Place
  }
export type StateAsk = Pick<Limits, 'windowMs' | 'leaseMs' | 'rateCeiling' | 'placesCeiling' | 'now'>
type DeclareAsk = Pick<Limits, 'process' | 'windowMs'> & Declaration

const waitReason = z.enum(['paused', 'outage', 'refused', 'places', 'rate'])
/** Why a request may not be sent now; each comes from one check of place.lua. */
export type WaitReason = z.infer<typeof waitReason>

const enterReply = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('admitted'),
    enteredAt: z.number(),
    ahead: z.number(),
    seq: z.number(),
    done: z.number(),
    bound: z.boolean(),
    /** Further documents were announced, and this was the last place: when one may be free for the next of them. */
    fullForMs: z.number().optional(),
  }),
  z.object({
    kind: z.literal('wait'),
    reason: waitReason,
    /** When a place may be free, as far as that can be known. */
    waitMs: z.number(),
    /** When to ask again at the latest, where that differs. */
    askInMs: z.number().optional(),
    /** It would be a probe, and its document is not read yet. */
    readFirst: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal('halted'),
    cause: z.enum(['credits', 'key', 'permission']),
    message: z.string(),
    retryInMs: z.number(),
  }),
])
/** What enter.lua answers. */
export type EnterReply = z.infer<typeof enterReply>

const leaveReply = z.object({
  counted: z.boolean(),
  retryInMs: z.number().optional(),
  /** What became of the next document, where one came along. */
  entered: enterReply.optional(),
  /** This process is among the first in line, and should ask again after so long. */
  pollInMs: z.number().optional(),
})
/** What leave.lua answers. */
export type LeaveReply = z.infer<typeof leaveReply>

const shutCause = z.enum(['outage', 'credits', 'key', 'permission'])
export type ShutCause = z.infer<typeof shutCause>

const count = z.number()
const stateReply = z.object({
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
/** What state.lua answers. */
export type StateReply = z.infer<typeof stateReply>

export const REPLIES = { enter: enterReply, leave: leaveReply, state: stateReply, declare: z.object({}) } as const

/** What each script takes. */
export interface Asks {
  readonly enter: EnterAsk
  readonly leave: LeaveAsk
  readonly state: StateAsk
  readonly declare: DeclareAsk
}

/** What each script answers. */
export type Replies = { readonly [Name in keyof typeof REPLIES]: z.infer<(typeof REPLIES)[Name]> }
