import type { Settings } from '#config/settings.ts'
import { FREE } from '@sluice/contract'
import { NO_SPENDING } from '#src/document/spending.ts'
import type { Events } from '#src/events.ts'
import type { Tier } from '#src/ingest/document/deps.ts'
import { AccountSpending } from '#src/ledger/account-spending.ts'
import type { ProcessLease } from '#src/ledger/process-lease.ts'
import { RedisSpending } from '#src/ledger/redis-spending.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import type { ListingPurchases } from '../open/listing-purchases.ts'
import { chargeWith, pageCounting, priceWith, type Requests } from '../service/open-requests.ts'
import type { CustomPorts } from './custom-ports.ts'
import type { Shared } from './shared.ts'

interface SpendingNeeds {
  readonly connection: RedisConnection
  readonly pipeline: string
  readonly lease: ProcessLease
  readonly settings: Settings
  readonly shared: Pick<Shared, 'budgets'>
  readonly events: Events
  readonly purchases: ListingPurchases
}

/** Cost of a pipeline's requests, and its budget. */
async function openSpending(
  { connection, pipeline, lease, settings, shared: { budgets }, events, purchases }: SpendingNeeds,
  requests: Pick<Requests, 'service'>,
  resources: AsyncDisposableStack,
) {
  const { free } = requests.service
  const queue = new RedisSpending({ connection, pipeline, lease })
  /** Spending at a named service; without a name, at the pipeline's default service. */
  const spendingAt = ({ service }: typeof requests, name?: string): Promise<AccountSpending> =>
    AccountSpending.open({ connection, lease, queue, account: service.digest, budgets, service: name })
  const spending = free ? null : await spendingAt(requests)
  /** The charge of a parser may differ from the unit that it reports. */
  const charge: Tier['charge'] = free ? () => 0 : chargeWith(settings)
  if (spending !== null) purchases.setBudget({ spending, charge, events })
  return {
    deps: {
      price: priceWith(free, settings),
      countPages: pageCounting(free, resources),
      charge,
      spending: spending ?? NO_SPENDING,
    } satisfies Omit<Tier, 'parser' | 'parsers' | 'gate' | 'readWindow' | 'intents'>,
    spending,
    spendingAt,
    beginRun: async () => void (await queue.setCap(lease.id, settings.maxCredits ?? null)),
  }
}

/** Cost of requests: budgets apply to a caller's parser with a price as they do to a service. */
export function customSpending(
  { parser, price }: CustomPorts = {},
  needs: SpendingNeeds,
  requests: Pick<Requests, 'service'>,
  resources: AsyncDisposableStack,
): ReturnType<typeof openSpending> {
  if (parser === undefined || price === undefined) return openSpending(needs, requests, resources)
  const settings = { ...needs.settings, prices: { ...FREE, document: price, documentWithJson: price } }
  return openSpending({ ...needs, settings }, { ...requests, service: { ...requests.service, free: false } }, resources)
}
