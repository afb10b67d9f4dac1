import type { Route, RouteTerms } from '#src/document/route.ts'
import type { ParserIdentity } from '#src/document/parser.ts'
import type { PieceCutter } from '#src/ports/piece-cutter.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { PageShare } from '#src/ports/page-share.ts'
import type { Receiver } from '#src/events.ts'
import type { IngestDeps } from '../deps.ts'
import { freeIntents } from './free-intents.ts'

/** The way to one parser: its client, its limiter and its prices. */
export type Tier = Pick<
  IngestDeps,
  'parser' | 'parsers' | 'gate' | 'price' | 'charge' | 'countPages' | 'spending' | 'dependency'
>

/** The embedded engine beside the service, and which of them each document goes to. */
export interface Tiers {
  readonly routeOf: (key: SourceKey) => Route
  readonly mustStay: (key: SourceKey) => boolean
  readonly local: Tier
  readonly service: ParserIdentity
  /** For the pages that are bought. */
  readonly cutter: PieceCutter
  readonly terms: RouteTerms
  readonly share: PageShare
}

/** The dependencies with the embedded engine in the place of the service. */
export function onLocalTier(deps: IngestDeps, { local }: Pick<Tiers, 'local'>): IngestDeps {
  return { ...deps, ...local, intents: freeIntents(deps.intents) }
}

/** Which of the two tiers of a pipeline a request goes to; a pipeline with one parser has no other. */
export const receiverOf = ({ tiers, parsers }: Pick<IngestDeps, 'tiers' | 'parsers'>): Receiver => ({
  to: tiers !== undefined && parsers.own.class === 'embedded' ? 'engine' : 'parser',
})

/**
 * The last check before a request, whatever led to it: a document that must stay on this machine goes to no service. A
 * breach is a bug, never a property of the document.
 */
export function refuseToSend(key: SourceKey, { tiers, parsers }: Pick<IngestDeps, 'tiers' | 'parsers'>): void {
  if (parsers.own.class === 'embedded' || tiers?.mustStay(key) !== true) return
  throw new Error('a document that matches never-send was about to be sent; it was not sent')
}
