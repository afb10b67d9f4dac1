import type { Settings } from '#config/settings.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { NO_SPENDING } from '#src/document/spending.ts'
import type { Tier } from '#src/ingest/deps.ts'
import { priceWith, type Requests } from './open-requests.ts'
import { ENGINE } from './parser-policy.ts'

/** The way to the embedded engine beside a service: its answers cost nothing. */
export function engineTier(
  { parser, gate }: Pick<Requests, 'parser' | 'gate'>,
  parsers: ParserPolicy,
  settings: Settings,
): Tier {
  return {
    parser,
    parsers: { ...parsers, own: ENGINE },
    gate,
    price: priceWith(true, settings),
    charge: () => 0,
    countPages: async () => null,
    spending: NO_SPENDING,
    dependency: 'engine',
  }
}
