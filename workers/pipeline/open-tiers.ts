import type { Settings } from '#config/settings.ts'
import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import type { ParserPolicy } from '#src/document/parser.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { NO_SPENDING } from '#src/document/spending.ts'
import type { Events } from '#src/events.ts'
import { accepting, FreeIntents } from '#src/ingest/document/tiers.ts'
import { AuditHalted } from '#src/ingest/audit/buy-page.ts'
import type { Intents } from '#src/ports/ledger.ts'
import type { AuditDeps } from '#src/ingest/audit/audit-source.ts'
import type { RoutedTiers, Tier } from '#src/ingest/document/deps.ts'
import { RedisPageShare } from '#src/ledger/redis-page-share.ts'
import type { RedisConnection } from '#src/redis/connection.ts'
import type { CustomPorts } from './custom-ports.ts'
import { followEngine } from '../service/follow-service.ts'
import { routeTermsOf } from '../settings/from-settings.ts'
import { ENGINE, routesWith } from '../settings/parser-policy.ts'
import { type NamedServiceNeeds, openNamedServices } from './named-services.ts'
import { priceWith, type Requests } from '../service/open-requests.ts'
import type { IngestPipeline } from './pipeline.ts'
import type { Shared } from './shared.ts'

export interface TierNeeds {
  readonly settings: Settings
  readonly custom?: CustomPorts
  readonly parsers: ParserPolicy
  readonly owner: { readonly prefix: string }
  readonly shared: Shared
  readonly connection: RedisConnection
  readonly pipeline: string
  readonly intents: Intents
  readonly events: Events
  readonly spendingAt: NamedServiceNeeds['spendingAt']
  readonly resources: AsyncDisposableStack
}

/** The embedded engine as a second tier; null if all documents go to one parser. */
export async function openTiers(needs: TierNeeds, signal: AbortSignal): Promise<RoutedTiers | null> {
  const { settings, parsers, shared, connection, pipeline, intents, events, resources } = needs
  const routes = routesWith(settings, needs.owner.prefix)
  if (routes === null) return null
  refuseRoute(settings, needs.custom)
  if (parsers.own.class === 'embedded') return null
  const engine = await shared.requests(atEngine(settings), signal)
  resources.use(followEngine(engine, 'engine', shared.events, events))
  return {
    routeOf: routes.of,
    terms: routeTermsOf(settings),
    ...(await openNamedServices(needs, signal)),
    cutter: new PdfCutter(),
    share: new RedisPageShare({ connection, pipeline }),
    local: engineTier(engine, { parsers, intents, settings }),
  }
}

/** Refuses promises that cannot be kept, before any request leaves. */
function refuseRoute(
  { route, rules, neverSend, parseApiUrl, engineModelUrl }: Settings,
  custom: CustomPorts = {},
): void {
  const asksForService = route === 'local-first' || rules.some((rule) => rule.route === 'local-first')
  if (asksForService && parseApiUrl === undefined && custom.parser === undefined) {
    throw new SetupError(
      '--route local-first needs a service, and none is set: set PARSE_API_URL, or use --route local',
    )
  }
  if (neverSend.length > 0 && engineModelUrl !== undefined && !isLoopback(engineModelUrl)) {
    throw new SetupError(
      '--never-send keeps documents on this machine, but the model at SLUICE_ENGINE_MODEL_URL, on another machine, would receive ' +
        'their text. Remove one of the two',
    )
  }
}

/** True if an address is certainly on this machine. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** The settings of a pipeline with the embedded engine, to which the limits of a plan do not apply. */
const atEngine = (settings: Settings): Settings => ({
  ...settings,
  parseApiUrl: undefined,
  parseApiKey: undefined,
  rate: undefined,
  apiConcurrency: undefined,
})

type EngineNeeds = Pick<TierNeeds, 'parsers' | 'intents' | 'settings'>

/** The tier of the embedded engine next to a service: its answers are free. */
function engineTier(
  { parser, gate, readWindow }: Pick<Requests, 'parser' | 'gate' | 'readWindow'>,
  { parsers, intents, settings }: EngineNeeds,
): Tier {
  return {
    parser,
    parsers: { ...parsers, own: ENGINE },
    gate,
    readWindow,
    intents: new FreeIntents(intents),
    price: priceWith(true, settings),
    charge: () => 0,
    countPages: async () => null,
    spending: NO_SPENDING,
    dependency: 'engine',
  }
}

/** Both tiers of an audit: the service of the pipeline, and the embedded engine. */
export async function openAudit(
  { ingest, settings }: Pick<IngestPipeline, 'ingest' | 'settings'>,
  shared: Shared,
  signal: AbortSignal,
): Promise<AuditDeps> {
  const engine = await shared.requests(atEngine(settings), signal)
  const { main } = ingest.tiers
  const { parsers, intents } = main
  // Each side of the comparison accepts only its answers, and the engine's side only those of the current version.
  const engineOnly = {
    ...parsers,
    acceptLocal: false,
    upgrade: true,
    upgradeOf: null,
    onlyOwn: true,
  }
  return {
    ingest: { ...ingest, run: { ...ingest.run, halt: haltAudit } },
    paid: accepting(main, { ...parsers, acceptLocal: false }),
    local: engineTier(engine, { parsers: { ...engineOnly, routes: undefined }, intents, settings }),
    cutter: new PdfCutter(),
  }
}

/** A halt ends the audit with its message; earlier purchases have their receipts. */
function haltAudit(_: unknown, message: string): never {
  throw new AuditHalted(message)
}
