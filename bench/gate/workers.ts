import { loadSettings } from '#config/load.ts'
import type { Settings } from '#config/settings.ts'
import { Events } from '#src/events.ts'
import { scanSource } from '#src/ingest/scan/scan-source.ts'
import { openIngestPipeline } from '#workers/compose.ts'
import { BenchProcess } from './child-process.ts'
import type { WorkerReport } from './worker-report.ts'

export interface WorkersOptions {
  readonly source: string
  readonly count: number
  /** What sets up each of them; REDIS_URL and SLUICE_OUT at least. */
  readonly env: Readonly<Record<string, string>>
}

/** Processes of the real worker, with a queue that was filled before, which all begin at one moment. */
export class Workers implements AsyncDisposable {
  readonly settings: Settings
  readonly #processes: readonly BenchProcess[]

  private constructor(settings: Settings, processes: readonly BenchProcess[]) {
    this.settings = settings
    this.#processes = processes
  }

  static async start({ source, count, env }: WorkersOptions): Promise<Workers> {
    const loaded = loadSettings({}, {}, env)
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const { settings } = loaded
    const workers = new Workers(
      settings,
      Array.from({ length: count }, () => new BenchProcess('worker-process.ts', [source], env)),
    )
    try {
      await fillQueue(source, settings)
      await Promise.all(workers.#processes.map((worker) => worker.line('ready')))
      return workers
    } catch (error) {
      await workers[Symbol.asyncDispose]()
      throw error
    }
  }

  begin(): void {
    for (const worker of this.#processes) worker.say('begin')
  }

  /** Ends them as SIGTERM does, and takes what they report. */
  async stop(): Promise<WorkerReport[]> {
    for (const worker of this.#processes) worker.kill('SIGTERM')
    const reports = await Promise.all(this.#processes.map((worker) => worker.line('report')))
    return reports.map((report) => JSON.parse(report) as WorkerReport)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((worker) => worker[Symbol.asyncDispose]()))
  }
}

async function fillQueue(source: string, settings: Settings): Promise<void> {
  const signal = new AbortController().signal
  const events = new Events()
  await using pipeline = await openIngestPipeline({ source, settings, events, say: () => undefined }, signal)
  const deps = { ...pipeline.scan, backlogLimit: Number.MAX_SAFE_INTEGER }
  await scanSource(deps, signal)
}
