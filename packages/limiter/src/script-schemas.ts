import { z } from 'zod'
import type { Feedback } from './feedback.ts'
import type { SentPermit } from './permit.ts'

/*
 * The border between TypeScript and Lua: arguments and replies of each script, both as JSON. The schemas check replies
 * here, so that a script of another version fails early with the name of the field. Times are milliseconds; undefined
 * keys are not sent.
 */

/** Arguments of every script that decides. */
export interface DecisionArguments {
  readonly process: string
  readonly windowMs: number
  readonly leaseMs: number
  readonly rateCeiling?: number | undefined
  readonly placesCeiling?: number | undefined
  /** Prefix of the heartbeat keys of processes; without it, the scripts do not search for dead processes. */
  readonly alivePrefix?: string
  /** Prefix of the channels that wake processes. */
  readonly wakePrefix: string
  /** Clock of tests and simulations; default: Redis's clock. */
  readonly now?: number
}

/** A request that asks for a permit. `more`: further requests of its process wait. */
export interface RequestArguments {
  readonly id: string
  readonly more: boolean
}

/** Arguments of each script. */
export interface ScriptArguments {
  readonly acquire: DecisionArguments & RequestArguments
  readonly release: DecisionArguments &
    Feedback & {
      readonly permit: SentPermit
      /** TTL of the state of a failed document. */
      readonly rememberMs: number
      /** Jitter, below 1: spreads requests that return. */
      readonly random: number
      /** The next request, which takes the released place if it can. */
      readonly next?: RequestArguments
    }
  readonly snapshot: Pick<DecisionArguments, 'windowMs' | 'leaseMs' | 'rateCeiling' | 'placesCeiling' | 'now'>
  readonly declare: Pick<DecisionArguments, 'process' | 'windowMs' | 'now'> & {
    readonly held: readonly { readonly id: string; readonly sentAt: number }[]
    readonly known: readonly string[]
    readonly upTo: number
  }
}

const waitReason = z.enum(['paused', 'outage', 'refused', 'places', 'rate'])
/** Reason why a request must wait; each comes from one check of permit.lua. */
export type WaitReason = z.infer<typeof waitReason>

/** `waitMs`: estimated wait. `askInMs`: latest time for the next poll, if it differs. */
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
    /** Wait of the next of the announced requests. */
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
  /** Reply to the next request, if the release carried one. */
  next: acquireReply.optional(),
  /** This process is among the first in line: it polls again after this time. */
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

export const REPLY_SCHEMAS = {
  acquire: acquireReply,
  release: releaseReply,
  snapshot: snapshotReply,
  declare: z.object({}),
} as const

/** The request must wait. */
export type WaitReply = z.infer<typeof wait>

/** Replies of each script. */
export type ScriptReplies = { readonly [Name in keyof typeof REPLY_SCHEMAS]: z.infer<(typeof REPLY_SCHEMAS)[Name]> }
