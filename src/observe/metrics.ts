import { Gauge, Registry } from 'prom-client'
import { type Counts, OUTCOMES } from '#src/document/outcome.ts'
import type { Events } from '#src/events.ts'
import { countComparisons, countCosts, countDocuments } from './document-metrics.ts'
import { measureHealth } from './health-metrics.ts'
import { gauge } from './instruments.ts'
import { countByService, countRequests } from './request-metrics.ts'
import { SHARED } from './reading.ts'
import { within } from './within.ts'

/** What is asked of the surroundings at each scrape. */
export interface MetricsOptions {
  readonly counts: () => Promise<Counts>
  readonly backlog: () => Promise<number>
  /** Whether workers are stopped from starting another job. */
  readonly paused: () => Promise<boolean>
  /** Milliseconds since the oldest job was enqueued; 0 without one. */
  readonly oldestMs: () => Promise<number>
  /** Epoch milliseconds of the end of the last scan by any process; null before the first. */
  readonly lastScanAt: () => Promise<number | null>
  /** Where it is known that Redis does not answer, it is not asked. */
  readonly redisIsUp?: () => boolean
}

/** How long Redis may take for one value: then it is left out. */
const ANSWER_MS = 400

/** Prometheus metrics, each fed by one event; names end in their unit, labels are closed lists. */
export function metricsOf(events: Events, options: MetricsOptions): Registry {
  const registry = new Registry()
  countDocuments(events, registry)
  countCosts(events, registry)
  countComparisons(events, registry)
  countRequests(events, registry)
  countByService(events, registry)
  measureHealth(events, registry)
  const ask = async <T>(value: () => Promise<T>): Promise<T | null> =>
    options.redisIsUp?.() === false ? null : within(value(), ANSWER_MS)
  const shared = (name: string, help: string, value: () => Promise<number | null>): Gauge =>
    gauge(registry, name, `${help} ${SHARED}`, () => ask(value))
  shared('sluice_queue_backlog', 'Jobs waiting, delayed or active.', options.backlog)
  shared('sluice_queue_paused', '1 while the queue is paused by hand.', async () => ((await options.paused()) ? 1 : 0))
  shared(
    'sluice_queue_oldest_seconds',
    'Age of the oldest job that waits, is delayed or active; 0 without one.',
    async () => (await options.oldestMs()) / 1000,
  )
  shared(
    'sluice_last_scan_timestamp_seconds',
    'When a scan of the source last ended, in any process; left out before the first.',
    async () => inSeconds(await options.lastScanAt()),
  )
  gaugeByOutcome(registry, () => ask(options.counts))
  shared(
    'sluice_documents_gone',
    'Documents that are gone from the source, their outputs kept; part of no outcome.',
    async () => (await options.counts()).gone,
  )
  return registry
}

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

function gaugeByOutcome(registry: Registry, counts: () => Promise<Counts | null>): void {
  const documents = new Gauge({
    name: 'sluice_documents',
    help: `Documents in the ledger by outcome; their sum over outcomes is all that was seen. ${SHARED}`,
    labelNames: ['outcome'],
    registers: [],
    async collect() {
      const now = await counts()
      this.reset()
      if (now === null) return
      for (const outcome of OUTCOMES) this.set({ outcome }, now[outcome])
    },
  })
  registry.registerMetric(documents)
}
