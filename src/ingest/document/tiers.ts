import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import { type ParserPolicy, policyFor } from '#src/document/parser.ts'
import type { Receiver } from '#src/events.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { Policy, Tier, Tiers } from './deps.ts'

/** The tier of a document's route; of one that is routed by page, the service's. */
export function tierFor(key: SourceKey, { main, routed }: Tiers): Tier {
  const parsers = policyFor(main.parsers, key)
  if (routed?.routeOf(key) === 'local') return routed.local
  const service = serviceFor(key, { main, routed })
  // Of a document that is routed by page `own` stays the engine, which reads it first.
  const isOfPipeline = service === main || parsers.own.class === 'embedded'
  return accepting(service, isOfPipeline ? parsers : { ...parsers, own: service.parsers.own })
}

/** That of the first request for a document: the embedded engine's where it is routed by page. */
export const firstTierFor = (key: SourceKey, { main, routed }: Tiers): Tier =>
  routed !== null && routed.routeOf(key) !== 'service' ? routed.local : serviceFor(key, { main, routed })

/** The service that a rule names for a document, where it names one. */
export const serviceFor = (key: SourceKey, { main, routed }: Tiers): Tier =>
  routed?.named.get(routed.serviceOf(key)) ?? main

/** A tier that takes other answers from receipts. */
export const accepting = (tier: Tier, parsers: ParserPolicy): Tier => ({ ...tier, parsers })

/** The tier that a request goes to; a pipeline with one parser has no other. */
export const receiverOf = ({ dependency, service }: Pick<Tier, 'dependency' | 'service'>): Receiver =>
  dependency === 'engine' ? { to: 'engine' } : { to: 'parser', ...(service === undefined ? {} : { service }) }

/**
 * The last check before a request, whatever led to it: a document that must stay on this machine goes to no service. A
 * breach is a bug, never a property of the document.
 */
export function refuseToSend(key: SourceKey, { parsers }: Tier, { mustStay }: Pick<Policy, 'mustStay'>): void {
  if (parsers.own.class === 'embedded' || !mustStay(key)) return
  throw new Error('a document that matches never-send was about to be sent; it was not sent')
}

/**
 * A decorator: the intents of a parser that charges nothing. One that is left of this document, or of a dead process, is
 * in doubt for no credits: it is concluded before the next, so that it is neither counted as ambiguous nor held. They have
 * names of their own: an intent of the service for the same bytes is in doubt for credits, and stays.
 */
export class FreeIntents implements Intents {
  readonly #intents: Intents

  constructor(intents: Intents) {
    this.#intents = intents
  }

  async begin(id: ReceiptId, key: SourceKey): ReturnType<Intents['begin']> {
    await this.#intents.conclude(freeId(id), key)
    return this.#intents.begin(freeId(id), key)
  }

  release(id: ReceiptId, key: SourceKey): Promise<void> {
    return this.#intents.release(freeId(id), key)
  }

  clear(id: ReceiptId): Promise<void> {
    return this.#intents.clear(freeId(id))
  }

  stands(id: ReceiptId): boolean {
    return this.#intents.stands(freeId(id))
  }

  conclude(id: ReceiptId, key: SourceKey): Promise<void> {
    return this.#intents.conclude(freeId(id), key)
  }
}

const freeId = (id: ReceiptId): ReceiptId => `${id}-embedded` as ReceiptId
