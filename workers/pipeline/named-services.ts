import type { Settings } from '#config/settings.ts'
import { serviceBook } from '#src/client/rules.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import type { Spending } from '#src/document/spending.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { Events } from '#src/events.ts'
import type { PriceModel } from '#src/ingest/document/costs.ts'
import type { RoutedTiers, Tier } from '#src/ingest/document/deps.ts'
import { withoutPrefix } from '#src/sources/prefixed-source.ts'
import { chargeWith, pageCounting, priceWith, type Requests } from '../service/open-requests.ts'
import { originAndPath } from '../settings/location.ts'
import { namesUsed, settingsAt } from '../settings/service-names.ts'
import type { Shared } from './shared.ts'
import { watchRecovery } from '../service/follow-service.ts'

export interface NamedServiceNeeds {
  readonly settings: Settings
  readonly parsers: ParserPolicy
  readonly owner: { readonly prefix: string }
  readonly shared: Shared
  readonly intents: Intents
  /** The cap of the pipeline covers all its services together. */
  readonly spendingAt: (requests: Requests, name: string) => Promise<Spending>
  readonly events: Events
  readonly resources: AsyncDisposableStack
}

/**
 * The services that rules name, each with a separate client, limiter and price model, and the lookup from document to
 * service.
 */
export async function openNamedServices(
  needs: NamedServiceNeeds,
  signal: AbortSignal,
): Promise<Pick<RoutedTiers, 'serviceOf' | 'named'>> {
  const { settings, owner } = needs
  const used = namesUsed(settings)
  const named = new Map(
    await Promise.all(used.map(async (name) => [name, await openOne(name, needs, signal)] as const)),
  )
  return { serviceOf: servicesFor(settings, owner.prefix), named }
}

/** For `plan`: the price model of a document's service. */
export function servicePrices(
  settings: Pick<Settings, 'rules' | 'services' | 'prices'>,
  prefix: string,
): (key: SourceKey) => PriceModel['price'] {
  const serviceOf = servicesFor(settings, prefix)
  const prices = new Map(
    Object.entries(settings.services).flatMap(([name, { prices: own }]) =>
      own === undefined ? [] : [[name, priceWith(false, { prices: own })] as const],
    ),
  )
  const ofPipeline = priceWith(false, settings)
  return (key) => prices.get(serviceOf(key)) ?? ofPipeline
}

/** Globs match keys in the source, without the prefix of the store. */
function servicesFor(settings: Pick<Settings, 'rules'>, prefix: string): (key: SourceKey) => string {
  const serviceOf = serviceBook(settings)
  return (key) => serviceOf(withoutPrefix(prefix, key) ?? key)
}

async function openOne(name: string, needs: NamedServiceNeeds, signal: AbortSignal): Promise<Tier> {
  const { parsers, shared, intents, spendingAt, events, resources } = needs
  const settings = settingsAt(name, needs.settings)
  const origin = originAndPath(settings.parseApiUrl ?? '')
  const requests = await shared.requests(settings, signal)
  const { parser, gate, readWindow, limitWatch } = requests
  limitWatch?.follow(events)
  resources.use(watchRecovery(events, gate.limiter, { service: name }))
  events.emit('service:opened', { service: name })
  return {
    parser,
    gate,
    readWindow,
    intents,
    parsers: { ...parsers, own: { class: 'service', origin, version: null } },
    price: priceWith(false, settings),
    charge: chargeWith(settings),
    countPages: pageCounting(false, resources),
    spending: await spendingAt(requests, name),
    service: name,
  }
}
