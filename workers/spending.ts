import type { Settings } from '#config/settings.ts'
import { NO_SPENDING } from '#src/document/spending.ts'
import type { Events } from '#src/events.ts'
import type { Tier } from '#src/ingest/process/deps.ts'
import type { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import type { ListingPurchases } from './listing-purchases.ts'
import { chargeWith, pageCounting, priceWith, type Requests } from './open-requests.ts'

interface SpendingNeeds {
  readonly connection: RedisConnection
  readonly pipeline: string
  readonly lease: ProcessLease
  readonly settings: Settings
  readonly events: Events
  readonly purchases: ListingPurchases
}

/** What requests of a pipeline cost, and how much it may spend. */
export function spendingOf(
  { connection, pipeline, lease, settings, events, purchases }: SpendingNeeds,
  { service: { free }, gate }: Pick<Requests, 'service' | 'gate'>,
  resources: AsyncDisposableStack,
) {
  const spending = new RedisSpending({ connection, pipeline, lease })
  /** The bill of a parser may be another than the unit that it reports. */
  const charge: Tier['charge'] = free ? () => 0 : chargeWith(settings)
  if (!free) purchases.openTill({ spending, budgets: gate.limiter, charge, events })
  return {
    deps: {
      price: priceWith(free, settings),
      countPages: pageCounting(free, resources),
      charge,
      spending: free ? NO_SPENDING : spending,
    } satisfies Omit<Tier, 'parser' | 'parsers' | 'gate'>,
    beginRun: async () => void (await spending.setCap(lease.id, settings.maxCredits ?? null)),
  }
}
