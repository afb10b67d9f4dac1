import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import { type ParserPolicy, policyFor } from '#src/document/parser.ts'
import type { Receiver } from '#src/events.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { Policy, Tier, Tiers } from './deps.ts'

/** Tier of a document's route; with routing by page, that of the service. */
export function tierFor(key: SourceKey, { main, routed }: Tiers): Tier {
  const parsers = policyFor(main.parsers, key)
  if (routed?.routeOf(key) === 'local') return routed.local
  const service = serviceFor(key, { main, routed })
  // With routing by page, `own` stays the engine, which reads the document first.
  const isOfPipeline = service === main || parsers.own.class === 'embedded'
  return accepting(service, isOfPipeline ? parsers : { ...parsers, own: service.parsers.own })
}

/** Tier of the first request for a document; with routing by page, that of the embedded engine. */
export const firstTierFor = (key: SourceKey, { main, routed }: Tiers): Tier =>
  routed !== null && routed.routeOf(key) !== 'service' ? routed.local : serviceFor(key, { main, routed })

/** Service that a rule names for a document, or the default. */
export const serviceFor = (key: SourceKey, { main, routed }: Tiers): Tier =>
  routed?.named.get(routed.serviceOf(key)) ?? main

/** A tier with another policy for answers from receipts. */
export const accepting = (tier: Tier, parsers: ParserPolicy): Tier => ({ ...tier, parsers })

/** Receiver of a request; a pipeline with one parser has no other. */
export const receiverOf = ({ dependency, service }: Pick<Tier, 'dependency' | 'service'>): Receiver =>
  dependency === 'engine' ? { to: 'engine' } : { to: 'parser', ...(service === undefined ? {} : { service }) }

/**
 * Final check before every request: a document that must stay on this machine goes to no service. A breach is a bug,
 * never a property of the document.
 */
export function refuseToSend(key: SourceKey, { parsers }: Tier, { mustStay }: Pick<Policy, 'mustStay'>): void {
  if (parsers.own.class === 'embedded' || !mustStay(key)) return
  throw new Error('a document that matches never-send was about to be sent; it was not sent')
}

/**
 * Decorator: intents of a free parser. An intent left by this document or a dead process puts no credits in doubt. It
 * is concluded before the next, so it is neither ambiguous nor held. Their ids differ from those of the service: its
 * intent for the same bytes puts credits in doubt, and stays.
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

  isValid(id: ReceiptId): boolean {
    return this.#intents.isValid(freeId(id))
  }

  conclude(id: ReceiptId, key: SourceKey): Promise<void> {
    return this.#intents.conclude(freeId(id), key)
  }
}

const freeId = (id: ReceiptId): ReceiptId => `${id}-embedded` as ReceiptId
