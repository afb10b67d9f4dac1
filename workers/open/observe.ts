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
import { withTimeout } from '#src/observe/with-timeout.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { DocumentQueue } from '#src/queue/document-queue.ts'
import type { Folders } from '../settings/location.ts'
import { capReadings } from '../service/gate-readings.ts'
import { openServerOf } from '../settings/setting-errors.ts'

/** Timeout of the readings of Redis: a scrape gets its answer within a second in every state. */
const READINGS_MS = 400

interface ObserverOptions {
  readonly settings: Settings
  readonly folders: Folders
  /** Shared readings of all pipelines, taken at each scrape. */
  readonly readings: () => Promise<readonly Reading[]>
  /** Called with one line when a dependency fails, and when it recovers. */
  readonly say: (line: string) => void
  /** Events of the programs that all pipelines share. */
  readonly shared: Events
}

interface Observed {
  /** The pipeline's name in the settings file; null for the pipeline of the command line. */
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
  /** Null if no collector of spans is set. */
  readonly tracing: Tracing | null
  readonly monitor: DependencyMonitor
  /** Logs the events of a pipeline from now on, and counts them in the metrics until disposal. */
  observe(pipeline: Observed): Disposable
}

/** Log, metrics and readiness. All of them read the events, and nothing else writes to them. */
export async function openObserver(options: ObserverOptions): Promise<Observer> {
  const { settings, folders, say } = options
  const file = settings.logFile ?? join(folders.state, 'sluice.log')
  const log = openLog({ level: settings.logLevel, file, version: packageVersion(), say })
  const shared = new Set<{ readonly name: string | null; readonly sharing: OutageSharing }>()
  const onChange = (change: OutageChange): void => {
    logOutage(change, log)
    say(outageNotice(change))
    for (const { name, sharing } of shared) {
      if (change.outage.pipeline === null || change.outage.pipeline === name) sharing.share(change)
    }
  }
  const monitor = new DependencyMonitor({ onChange })
  monitor.observe(options.shared, null)
  const watch = ({ name, events, scans }: Observed): Disposable => {
    logEvents(events, name === null ? log : log.child({ pipeline: name }))
    // Redis may be unavailable: the next scan reports it.
    const listed = (): void => void scans.recordEnd(Date.now()).catch(() => undefined)
    events.on('scan:finished', listed)
    events.on('source:listed', listed)
    return monitor.observe(events, name)
  }
  const tracing = await tracingOf({
    onProblem: (problem) => {
      log.warn({ problem }, 'OpenTelemetry variable ignored or changed')
      say(`traces: ${problem}`)
    },
    onError: (message) => log.warn({ cause: message }, 'spans not sent to the collector'),
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

/** Loaded only on demand: the module takes 10 MB of memory, and Node's HTTP server takes 50 ms to load. */
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
        ...(redisIsUp() ? ((await withTimeout(asked(), READINGS_MS)) ?? []) : []),
      ],
      notReady: async () => notReadyReason(monitor),
    })
  const server = await openServerOf(`--metrics-port ${port} (--metrics-host ${host})`, open)
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
        lastScanAt: () => scans.lastEndAt(),
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
 * Shares outages through Redis with `status`, a separate process. Writes once per cause; removes it at the first
 * success afterwards. Redis may be the failed dependency: nothing waits for the write.
 */
class OutageSharing implements Disposable {
  readonly #events: Events
  readonly #outages: RedisOutages
  /** Dependencies that have worked since the last outage. */
  readonly #working = new Set<string>()

  constructor(events: Events, outages: RedisOutages) {
    this.#events = events
    this.#outages = outages
    events.on('dependency:works', this.#onWorks)
  }

  share({ kind, outage: { dependency, service, cause } }: OutageChange): void {
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
  /** The pipeline's id in Redis. */
  readonly id: string
  /** The pipeline's name in the settings file; null for the pipeline of the command line. */
  readonly name: string | null
}

/** Traces the documents of pipelines if a collector is set. */
interface Tracing extends AsyncDisposable {
  /** Traces a pipeline from now on; returns the `traceparent` that a request for a document carries. */
  observe(pipeline: TracedPipeline): (key: SourceKey) => string | null
}

interface TracingReports {
  /** Called if a standard variable has an unusable value. */
  readonly onProblem: (problem: string) => void
  /** Called if the export of spans fails. */
  readonly onError: (message: string) => void
}

/** Null unless the standard variables of OpenTelemetry name an OTLP endpoint. Loads nothing in that case. */
async function tracingOf({ onProblem, onError }: TracingReports): Promise<Tracing | null> {
  const env = environment()
  const isSet = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (isSet === undefined) return null
  const { readOtlpOptions } = await import('#src/observe/trace/otlp-options.ts')
  // The same values as in the log.
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
