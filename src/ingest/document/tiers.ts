import type { ReceiptId, SourceKey } from '#src/document/ids.ts'
import type { Receiver } from '#src/events.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { BuyDeps, Tier, Tiers } from './deps.ts'

/** The dependencies with the embedded engine instead of the service. */
export function onLocalTier<D extends BuyDeps>(deps: D, { local }: { readonly local: Tier }): D {
  return { ...deps, ...local, intents: freeIntents(deps.intents) }
}

/**
 * The dependencies for the first request of a document: the embedded engine's where it is routed by page. A permit of the
 * service's gate would never be released there.
 */
export function onFirstTier<D extends BuyDeps>(key: SourceKey, deps: D): D {
  const { tiers } = deps
  return tiers?.routeOf(key) === 'local-first' ? onLocalTier(deps, tiers) : deps
}

/** The dependencies with the service that a rule names for this document, where it names one. */
export function onNamedService<D extends BuyDeps>(deps: D, tiers: Tiers, key: SourceKey): D {
  const named = tiers.named.get(tiers.serviceOf(key))
  if (named === undefined) return deps
  const { parsers, ...service } = named
  // Of a document that is routed by page `own` stays the engine, which reads it first.
  const preferred = deps.parsers.own.class === 'embedded' ? deps.parsers.own : parsers.own
  return {
    ...deps,
    ...service,
    parsers: { ...deps.parsers, own: preferred },
    tiers: {
      ...tiers,
      service: parsers.own,
      own: { ...tierOf(deps), parsers: { ...deps.parsers, own: tiers.service } },
    },
  }
}

const tierOf = ({ parser, parsers, gate, readWindow, spending, countPages, price, charge }: Tier): Tier => ({
  parser,
  parsers,
  gate,
  readWindow,
  spending,
  countPages,
  price,
  charge,
  service: undefined,
})

/** Which tier of a pipeline a request goes to; a pipeline with one parser has no other. */
export const receiverOf = ({ dependency, service }: Pick<Tier, 'dependency' | 'service'>): Receiver =>
  dependency === 'engine' ? { to: 'engine' } : { to: 'parser', ...(service === undefined ? {} : { service }) }

/**
 * The last check before a request, whatever led to it: a document that must stay on this machine goes to no service. A
 * breach is a bug, never a property of the document.
 */
export function refuseToSend(key: SourceKey, { tiers, parsers }: BuyDeps): void {
  if (parsers.own.class === 'embedded' || tiers?.mustStay(key) !== true) return
  throw new Error('a document that matches never-send was about to be sent; it was not sent')
}

/**
 * The intents of a parser that charges nothing. One that is left of this document, or of a dead process, is in doubt for
 * no credits: it is concluded before the next, so that it is neither counted as ambiguous nor held. They have names of
 * their own: an intent of the service for the same bytes is in doubt for credits, and stays.
 */
export function freeIntents(intents: Intents): Intents {
  return {
    begin: async (id, key) => {
      await intents.conclude(freeId(id), key)
      return intents.begin(freeId(id), key)
    },
    release: (id, key) => intents.release(freeId(id), key),
    clear: (id) => intents.clear(freeId(id)),
    stands: (id) => intents.stands(freeId(id)),
    conclude: (id, key) => intents.conclude(freeId(id), key),
  }
}

const freeId = (id: ReceiptId): ReceiptId => `${id}-embedded` as ReceiptId
