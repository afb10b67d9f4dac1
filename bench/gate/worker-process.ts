import { openIngestPipeline } from '#workers/compose.ts'
import { runWorker } from '#workers/ingest.ts'
import { listenForStop } from '#workers/lifecycle.ts'
import { loadSettings } from '#config/load.ts'
import { Events } from '#src/events.ts'
import type { WorkerReport } from './worker-report.ts'

/*
 * node bench/gate/worker-process.ts <source>
 *
 * One worker as `sluice work` runs it, set up by its environment. It says `ready`, begins at a line on its standard
 * input, and at SIGTERM stops and prints what it did as JSON.
 */

const loaded = loadSettings({})
if (!loaded.ok) throw new Error(loaded.problems.join('; '))
const { settings } = loaded
const events = new Events()
const report: WorkerReport = {
  done: 0,
  failed: 0,
  started: 0,
  sent: 0,
  refused: 0,
  counted: 0,
  scriptCalls: 0,
  cpuMs: 0,
  errors: [],
}
events.on('document:settled', ({ outcome }) => (report[outcome === 'failed' ? 'failed' : 'done'] += 1))
events.on('document:started', () => (report.started += 1))
events.on('request:sent', () => (report.sent += 1))
events.on('request:throttled', () => (report.refused += 1))
events.on('document:postponed', ({ counted }) => (report.counted += counted ? 1 : 0))
events.on('process:error', ({ error }) => void report.errors.push(String(error)))

const quiet = (): void => undefined
using stopping = listenForStop({ onFirst: quiet, onSecond: quiet, onWall: quiet })
await using pipeline = await openIngestPipeline(
  { source: process.argv[2] ?? '', settings, events, say: quiet },
  stopping.soft,
)
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.destroy()
const before = process.cpuUsage()

await runWorker(pipeline, stopping, { intake: 'none', onHalt: 'wait' })
const { user, system } = process.cpuUsage(before)
report.scriptCalls = pipeline.requests.gate.limiter.scriptCalls
report.cpuMs = (user + system) / 1000
process.stdout.write(`report ${JSON.stringify(report)}\n`)
