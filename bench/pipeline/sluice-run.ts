/**
 * The real worker, as `sluice run` composes it: queue, gate, client, receipt, outputs, record. Timed from the start of
 * the scan to the last record. argv: service url, source folder, output folder, concurrency.
 */
import { readFileSync } from 'node:fs'
import { loadSettings } from '#config/load.ts'
import { openIngestPipeline } from '#workers/compose.ts'
import { runWorker } from '#workers/ingest.ts'
import { listenForStop } from '#workers/lifecycle.ts'
import { Events } from '#src/events.ts'
import { cpuMs } from './cpu-time.ts'

const [url = '', source = '', out = '', concurrency = '50'] = process.argv.slice(2)
const loaded = loadSettings({ out, parseApiUrl: url, parseApiKey: 'none', concurrency, logLevel: 'warn' }, {}, {})
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
using stopping = listenForStop({ onFirst: () => undefined, onSecond: () => undefined, onWall: () => undefined })
const say = (): void => undefined
await using pipeline = await openIngestPipeline(
  { source, settings: loaded.settings, events: new Events(), say },
  stopping.soft,
)
const peakKb = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
const rssAtStartMb = process.memoryUsage.rss() / 1024 / 1024
const startedAt = performance.now()
const cpuAtStart = cpuMs()
const end = await runWorker(pipeline, stopping, { intake: 'scan', onHalt: 'stop' })
const seconds = (performance.now() - startedAt) / 1000
const cpuMsSpent = cpuMs() - cpuAtStart
const counts = await pipeline.ledger.counts()
if (end.kind !== 'complete' || counts.failed + counts.pending > 0) throw new Error(JSON.stringify({ end, counts }))
process.stdout.write(
  `${JSON.stringify({
    docs_per_s: counts.done / seconds,
    cpu_ms_per_doc: cpuMsSpent / counts.done,
    seconds,
    rss_mb: peakKb() / 1024,
    rss_at_start_mb: rssAtStartMb,
  })}\n`,
)
