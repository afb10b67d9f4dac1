import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import type { Events } from '#src/events.ts'
import { logEvents, openLog } from '#src/observe/log.ts'
import type { Reading } from '#src/observe/reading.ts'
import type { JobQueue, Ledger } from '#src/ports.ts'
import type { Folders } from './folders.ts'

interface ObserverOptions {
  readonly settings: Settings
  readonly folders: Folders
  /** What all pipelines share, asked at each scrape. */
  readonly readings: () => Promise<readonly Reading[]>
  /** Rejects, or takes its time, while Redis is away. */
  readonly ping: () => Promise<unknown>
}

interface Observed {
  /** As the settings file names the pipeline; null for the one of the command line. */
  readonly name: string | null
  readonly events: Events
  readonly ledger: Ledger
  readonly queue: JobQueue
}

export interface Observer extends AsyncDisposable {
  /** What a pipeline does is in the log from now on, and in the metrics until this is disposed of. */
  observe(pipeline: Observed): Disposable
}

/** Log and metrics: both read the events, and nothing else writes either. */
export async function openObserver({ settings, folders, readings, ping }: ObserverOptions): Promise<Observer> {
  const log = openLog({ level: settings.logLevel, file: settings.logFile ?? join(folders.state, 'sluice.log') })
  const logOf = (name: string | null) => (name === null ? log : log.child({ pipeline: name }))
  if (settings.metricsPort === 0) {
    return {
      observe({ name, events }) {
        logEvents(events, logOf(name))
        return { [Symbol.dispose]: () => undefined }
      },
      [Symbol.asyncDispose]: async () => undefined,
    }
  }
  // Loaded only where they are asked for: they take 10 MB of memory, and Node's HTTP server 50 ms to load.
  const { ProcessMetrics } = await import('#src/observe/process-metrics.ts')
  const { openObserveServer } = await import('#src/observe/http-server.ts')
  const metrics = new ProcessMetrics()
  const notReady = () =>
    ping().then(
      () => null,
      () => 'Redis does not answer',
    )
  const { metricsHost: host, metricsPort: port } = settings
  const server = await openObserveServer({ host, port, registry: metrics, readings, notReady })
  log.info({ url: server.url }, 'metrics')
  return {
    observe({ name, events, ledger, queue }) {
      logEvents(events, logOf(name))
      return metrics.add(events, { counts: () => ledger.counts(), backlog: () => queue.backlog() }, name)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
