import type { Service } from './draw.ts'
import type { DrawnAnswer, DrawnService } from './drawn-service.ts'

/** What a policy keeps of a request from its start to its answer. */
export interface Sent {
  readonly at: number
}

/** A client's control of its requests, asked about one request after another in virtual time. */
export interface Policy<S extends Sent = Sent> {
  /** 0 when a request may begin; else milliseconds until asking again is of use, Infinity for: after the next answer. */
  wait(now: number, inFlight: number): number
  sent(now: number, inFlight: number): S
  /** Whether a failure (408, 503) used up an attempt of its document. */
  answered(sent: S, answer: DrawnAnswer, now: number, inFlight: number): { readonly counted: boolean }
}

export type PolicyMaker = (drawn: Service, service: DrawnService, random: () => number) => Policy
