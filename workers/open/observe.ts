import { hostname } from 'node:os'
import { join } from 'node:path'
import { environment } from '#config/environment.ts'
import { packageVersion } from '#config/package-version.ts'
import type { Settings } from '#config/settings.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { Events, SluiceEvents } from '#src/events.ts'
import type { RedisActivity } from '#src/ledger/redis-activity.ts'
import type { RedisLastRun } from '#src/ledger/redis-last-run.ts'
import { outageName, type RedisOutages } from '#src/ledger/redis-outages.ts'
import type { RedisScans } from '#src/ledger/redis-scans.ts'
import { DependencyMonitor, type OutageChange } from '#src/observe/dependency-monitor.ts'
import { logEvents, logOutage, openLog } from '#src/observe/log.ts'
import { notReadyReason, outageNotice, outageReadings } from '#src/observe/outage-text.ts'
import type { Reading } from '#src/observe/reading.ts'
import { runId } from '#src/observe/run-id.ts'
import { within } from '#src/observe/within.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { DocumentQueue } from '#src/queue/document-queue.ts'
import type { Folders } from '../settings/location.ts'
import { capReadings } from '../service/gate-readings.ts'
import { listening } from '../settings/setting-errors.ts'

/** How long the readings of Redis may take: a scrape is answered within a second in every state. */
const READINGS_MS = 400

interface ObserverOptions {
  readonly settings: Settings
  readonly folders: Folders
  /** What all pipelines share, asked at each scrape. */
  readonly readings: () => Promise<readonly Reading[]>
  /** Called with one line when a dependency is out, and when it is back. */
  readonly say: (line: string) => void
  /** What happens to the programs that all pipelines share. */
  readonly shared: Events
}

interface Observed {
  /** As the settings file names the pipeline; null for the one of the command line. */
  readonly name: string | null
  readonly events: Events
  readonly ledger: Ledger
  readonly queue: DocumentQueue
  readonly outages: RedisOutages
  readonly scans: RedisScans
  readonly lastRun: RedisLastRun
  readonly activity: RedisActivity
}

export interface Observer extends AsyncDisposable {
  /** Null while no collector of spans is set. */
  readonly tracing: Tracing | null
  readonly monitor: DependencyMonitor
  /** What a pipeline does is in the log from now on, and in the metrics until this is disposed of. */
  observe(pipeline: Observed): Disposable
}

/** Log, metrics and readiness: all read the events, and nothing else writes either. */
export async function openObserver(options: ObserverOptions): Promise<Observer> {
  const { settings, folders, say } = options
  const file = settings.logFile ?? join(folders.state, 'sluice.log')
  const log = openLog({ level: settings.logLevel, file, version: packageVersion(), say })
  const shared = new Set<{ readonly name: string | null; readonly sharing: OutageSharing }>()
  const onChange = (change: OutageChange): void => {
    logOutage(change, log)
    say(outageNotice(change))
    for (const { name, sharing } of shared) {
      if (change.outage.pipeline === null || change.outage.pipeline === name) sharing.changed(change)
    }
  }
  const monitor = new DependencyMonitor({ onChange })
  monitor.observe(options.shared, null)
  const watch = ({ name, events, scans }: Observed): Disposable => {
    logEvents(events, name === null ? log : log.child({ pipeline: name }))
    // Redis may be away: the next scan reports it.
    const listed = (): void => void scans.ended(Date.now()).catch(() => undefined)
    events.on('scan:finished', listed)
    events.on('source:listed', listed)
    return monitor.observe(events, name)
  }
  const tracing = await tracingOf({
    onProblem: (problem) => {
      log.warn({ problem }, 'a variable of OpenTelemetry')
      say(`traces: ${problem}`)
    },
    onError: (message) => log.warn({ cause: message }, 'spans could not be sent'),
  })
  const server = settings.metricsPort === 0 ? null : await openServer(options, monitor)
  if (server !== null) log.info({ url: server.url }, 'metrics')
  return {
    monitor,
    tracing,
    observe(pipeline) {
      const observing = new DisposableStack()
      observing.use(watch(pipeline))
      const sharing = observing.use(new OutageSharing(pipeline.events, pipeline.outages))
      const observed = { name: pipeline.name, sharing }
      shared.add(observed)
      observing.defer(() => shared.delete(observed))
      observing.use(server?.add(pipeline))
      return observing
    },
    [Symbol.asyncDispose]: async () => {
      monitor[Symbol.dispose]()
      await server?.[Symbol.asyncDispose]()
      await tracing?.[Symbol.asyncDispose]()
    },
  }
}

interface ObserveServer extends AsyncDisposable {
  readonly url: string
  readonly add: (pipeline: Observed) => Disposable
}

/** Loaded only where it is asked for: it takes 10 MB of memory, and Node's HTTP server 50 ms to load. */
async function openServer({ settings, readings }: ObserverOptions, monitor: DependencyMonitor): Promise<ObserveServer> {
  const { ProcessMetrics } = await import('#src/observe/process-metrics.ts')
  const { openObserveServer } = await import('#src/observe/http-server.ts')
  const metrics = new ProcessMetrics(packageVersion())
  const redisIsUp = (): boolean => !monitor.isOut('redis')
  const { metricsHost: host, metricsPort: port } = settings
  const observed = new Set<Observed>()
  const capsOf = async (): Promise<Reading[]> => {
    const caps = [...observed].map(async ({ name, activity }) => capReadings(name, await activity.cap()))
    return (await Promise.all(caps)).flat()
  }
  const asked = async (): Promise<Reading[]> => (await Promise.all([readings(), capsOf()])).flat()
  const open = () =>
    openObserveServer({
      host,
      port,
      registry: metrics,
      readings: async () => [
        ...outageReadings(monitor),
        ...(redisIsUp() ? ((await within(asked(), READINGS_MS)) ?? []) : []),
      ],
      notReady: async () => notReadyReason(monitor),
    })
  const server = await listening(`--metrics-port ${port} (--metrics-host ${host})`, open)
  return {
    url: server.url,
    add: (pipeline) => {
      const { name, events, ledger, queue, scans, lastRun } = pipeline
      observed.add(pipeline)
      const options = {
        counts: () => ledger.counts(),
        backlog: () => queue.backlog(),
        paused: () => queue.paused(),
        oldestMs: () => queue.oldestMs(),
        lastScanAt: () => scans.lastAt(),
        halts: async () => (await lastRun.halts()).map(({ cause }) => cause),
        redisIsUp,
      }
      const measuring = metrics.add(events, options, name)
      return {
        [Symbol.dispose]: () => {
          observed.delete(pipeline)
          measuring[Symbol.dispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/**
 * Keeps in Redis what `status`, a process of its own, says of outages: written once for each cause, removed at the first
 * success after it. Redis may be what is out, so nothing waits for it.
 */
class OutageSharing implements Disposable {
  readonly #events: Events
  readonly #outages: RedisOutages
  /** Known to work since the last outage. */
  readonly #working = new Set<string>()

  constructor(events: Events, outages: RedisOutages) {
    this.#events = events
    this.#outages = outages
    events.on('dependency:works', this.#onWorks)
  }

  changed({ kind, outage: { dependency, service, cause } }: OutageChange): void {
    if (kind === 'recovered') return this.#onWorks({ dependency, service })
    this.#working.delete(outageName({ dependency, service }))
    const named = service === undefined ? {} : { service }
    void this.#outages.report({ dependency, ...named, cause, since: Date.now() }).catch(() => undefined)
  }

  [Symbol.dispose](): void {
    this.#events.off('dependency:works', this.#onWorks)
  }

  readonly #onWorks = (of: SluiceEvents['dependency:works'][0]): void => {
    const name = outageName(of)
    if (this.#working.has(name)) return
    this.#working.add(name)
    void this.#outages.clear(of).catch(() => undefined)
  }
}

interface TracedPipeline {
  readonly events: Events
  /** In Redis. */
  readonly id: string
  /** As the settings file names it; null for the one of the command line. */
  readonly name: string | null
}

/** Traces the documents of pipelines, where a collector is set. */
interface Tracing extends AsyncDisposable {
  /** From now on; answers what a request for a document carries as `traceparent`. */
  observe(pipeline: TracedPipeline): (key: SourceKey) => string | null
}

interface TracingReports {
  /** A standard variable whose value could not be taken as it is. */
  readonly onProblem: (problem: string) => void
  /** Spans could not be sent. */
  readonly onError: (message: string) => void
}

/** Null, and nothing loaded, unless the standard variables of OpenTelemetry name an OTLP endpoint. */
async function tracingOf({ onProblem, onError }: TracingReports): Promise<Tracing | null> {
  const env = environment()
  const isSet = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (isSet === undefined) return null
  const { readOtlpOptions } = await import('#src/observe/trace/otlp-options.ts')
  // As in the lines of the log.
  const resource = { 'service.version': packageVersion(), 'service.instance.id': runId(), 'host.name': hostname() }
  const { options, problems } = readOtlpOptions(env, resource)
  problems.forEach(onProblem)
  if (options === null) return null
  const { SpanExport } = await import('#src/observe/trace/span-export.ts')
  const { TraceEvents } = await import('#src/observe/trace/trace-events.ts')
  const spans = new SpanExport(options, onError)
  return {
    observe: ({ events, id, name }) => {
      const traced = new TraceEvents(events, { id, pipeline: name, ...options, spans })
      return (key) => traced.traceparent(key)
    },
    [Symbol.asyncDispose]: () => spans[Symbol.asyncDispose](),
  }
}
