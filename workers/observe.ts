import { join } from 'node:path'
import type { Settings } from '#config/settings.ts'
import type { Events } from '#src/events.ts'
import { openObserveServer } from '#src/observe/http-server.ts'
import { logEvents, openLog } from '#src/observe/log.ts'
import type { GateState } from '#src/gate/gate-state.ts'
import type { JobQueue, Ledger } from '#src/ports.ts'
import type { Folders } from './folders.ts'
import { gateReadings } from './gate-readings.ts'

interface ObserveOptions {
  readonly settings: Settings
  readonly folders: Folders
  readonly events: Events
  readonly ledger: Ledger
  readonly queue: JobQueue
  readonly gateState: () => Promise<GateState>
}

/** Log and metrics: both read the events, and nothing else writes either. */
export async function observe(options: ObserveOptions, resources: AsyncDisposableStack): Promise<void> {
  const { settings, folders, events, ledger, queue, gateState } = options
  const log = openLog({ level: settings.logLevel, file: settings.logFile ?? join(folders.state, 'sluice.log') })
  logEvents(events, log)
  if (settings.metricsPort === 0) return
  // Loaded only where it is asked for: it takes 10 MB of memory.
  const { metricsOf } = await import('#src/observe/metrics.ts')
  const registry = metricsOf(events, { counts: () => ledger.counts(), backlog: () => queue.backlog() })
  const server = await openObserveServer({
    port: settings.metricsPort,
    registry,
    readings: async () => gateReadings(await gateState()),
    notReady: () =>
      queue.backlog().then(
        () => null,
        () => 'Redis does not answer',
      ),
  })
  resources.use(server)
  log.info({ url: server.url }, 'metrics')
}
