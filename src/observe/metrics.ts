import { Gauge, Registry } from 'prom-client'
import { type Counts, OUTCOMES } from '#src/document/outcome.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import type { Events } from '#src/events.ts'
import { countCosts, countDocuments } from './document-metrics.ts'
import { measureHealth } from './health-metrics.ts'
import { gauge } from './instruments.ts'
import { countByService, countRequests, HALTS, NOT_HALTED } from './request-metrics.ts'
import { SHARED } from './reading.ts'
import { withTimeout } from './with-timeout.ts'

/** Readings of the environment at each scrape. */
export interface MetricsOptions {
  readonly counts: () => Promise<Counts>
  readonly backlog: () => Promise<number>
  /** True if workers may not start another job. */
  readonly paused: () => Promise<boolean>
  /** Age of the oldest job in milliseconds; 0 without one. */
  readonly oldestMs: () => Promise<number>
  /** Epoch milliseconds of the end of the last scan by any process; null before the first. */
  readonly lastScanAt: () => Promise<number | null>
  /** Causes of the present halt of the batch. */
  readonly halts: () => Promise<readonly HaltCause[]>
  /** False during a known outage of Redis: it then gets no queries. */
  readonly redisIsUp?: () => boolean
}

/** Timeout of Redis per value: the scrape then omits it. */
const ANSWER_MS = 400

/** Prometheus metrics, one event feeds each of them; names end in their unit, labels are closed lists. */
export function metricsOf(events: Events, options: MetricsOptions): Registry {
  const registry = new Registry()
  countDocuments(events, registry)
  countCosts(events, registry)
  countRequests(events, registry)
  countByService(events, registry)
  measureHealth(events, registry)
  const ask = async <T>(value: () => Promise<T>): Promise<T | null> =>
    options.redisIsUp?.() === false ? null : withTimeout(value(), ANSWER_MS)
  const shared = (name: string, help: string, value: () => Promise<number | null>): Gauge =>
    gauge(registry, name, `${help} ${SHARED}`, () => ask(value))
  shared('sluice_queue_backlog', 'Jobs in the queue: waiting, delayed or active.', options.backlog)
  shared('sluice_queue_paused', '1 while the queue is paused by `sluice pause`.', async () =>
    (await options.paused()) ? 1 : 0,
  )
  shared(
    'sluice_queue_oldest_seconds',
    'Age of the oldest job in the queue; 0 without one.',
    async () => (await options.oldestMs()) / 1000,
  )
  shared(
    'sluice_last_scan_timestamp_seconds',
    'End of the last scan of the source by any process; absent before the first.',
    async () => inSeconds(await options.lastScanAt()),
  )
  gaugeBy('outcome', OUTCOMES, registry, {
    name: 'sluice_documents',
    help: `Documents in the ledger, by outcome; the sum over outcomes is all documents seen. ${SHARED}`,
    values: () => ask(options.counts),
  })
  gaugeBy('cause', HALTS, registry, {
    name: 'sluice_halted',
    help: `1 while the batch is halted, by cause; 0 when a run starts or a worker continues. ${SHARED}`,
    values: () => ask(async () => halted(await options.halts())),
  })
  shared(
    'sluice_documents_gone',
    'Documents gone from the source whose outputs are kept; no outcome counts them.',
    async () => (await options.counts()).gone,
  )
  return registry
}

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

const halted = (causes: readonly HaltCause[]): Readonly<Record<HaltCause, number>> => ({
  ...NOT_HALTED,
  ...Object.fromEntries(causes.map((cause) => [cause, 1])),
})

interface LabelledGauge<Label extends string> {
  readonly name: string
  readonly help: string
  /** Null omits it. */
  readonly values: () => Promise<Readonly<Record<Label, number>> | null>
}

function gaugeBy<Label extends string>(
  labelName: string,
  labels: readonly Label[],
  registry: Registry,
  { name, help, values }: LabelledGauge<Label>,
): void {
  const made = new Gauge({
    name,
    help,
    labelNames: [labelName],
    registers: [],
    async collect() {
      const now = await values()
      this.reset()
      if (now === null) return
      for (const label of labels) this.set({ [labelName]: label }, now[label])
    },
  })
  registry.registerMetric(made)
}
