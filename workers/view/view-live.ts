import type { Settings } from '#config/settings.ts'
import { type GateState, openGate, type RedisGate } from '@sluice/limiter'
import { gateLine, waitsUntil } from '@sluice/limiter/words'
import { type Counts, seen } from '#src/document/outcome.ts'
import { Events } from '#src/events.ts'
import { countSkipped } from '#src/ingest/document/skip-file.ts'
import { Pace } from '#src/observe/pace.ts'
import { LiveHistory, type LivePipeline, type LiveStatus } from '#src/view/live.ts'
import { creditsOf } from '#src/ledger/account-spending.ts'
import { openPipeline } from '../pipeline/open-pipeline.ts'
import { describeRun } from '../pipeline/run-record.ts'
import { hostedGate } from '../service/hosted-gate.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Shared } from '../pipeline/shared.ts'
import { limitsOf } from '../pipeline/work-state.ts'

export interface LiveOptions {
  readonly settings: Settings
  readonly shared: Shared
  /** Null if the store has no known source: the page shows nothing live. */
  readonly source: string | null
}

/** Largest ledger that is read for the reasons of skipped files. */
const MAX_READ = 10_000
const READ_MS = 5_000

/** Sampling interval of the history. */
const SAMPLE_MS = 5_000

interface Opened {
  readonly pipeline: Pipeline
  /** Returns a gate by its name (`gateDigest`); opened at the first call. */
  readonly gateOf: (name: string) => Promise<RedisGate>
  /** Skipped files by extension or reason; empty for a large ledger. */
  readonly skippedBy: (counts: Counts) => Promise<LiveStatus['skippedBy']>
}

/**
 * Opens once, at a page's first request: it may start the private Redis. Then it samples the history every five
 * seconds.
 */
export function livePipeline(options: LiveOptions, resources: AsyncDisposableStack): LivePipeline | null {
  const { settings, source } = options
  if (source === null) return null
  const closing = resources.use(new AsyncDisposableStack())
  let opening: Promise<Opened> | null = null
  const opened = (): Promise<Opened> => {
    const begun = (opening ??= open({ ...options, source }, closing))
    // The next request retries.
    begun.catch(() => (opening = null))
    return begun
  }
  const pace = new Pace()
  const status = async (): Promise<LiveStatus> => statusOf(await opened(), settings, pace)
  const history = new LiveHistory()
  const sample = (): void => {
    if (opening !== null)
      status().then(
        (now) => history.add(now, Date.now()),
        () => undefined,
      )
  }
  const timer = setInterval(sample, SAMPLE_MS).unref()
  resources.defer(() => clearInterval(timer))
  return {
    status,
    history: () => history.samples,
    pause: async () => (await opened()).pipeline.queue.pause(),
    resume: async () => (await opened()).pipeline.queue.resume(),
  }
}

async function open(
  { settings, shared, source }: LiveOptions & { readonly source: string },
  resources: AsyncDisposableStack,
): Promise<Opened> {
  const pipeline = await openPipeline({ source, settings, shared, events: new Events(), say: () => undefined })
  resources.use(pipeline)
  const redis = await shared.connection(new AbortController().signal)
  const gates = new Map<string, Promise<RedisGate>>()
  const begin = (keyDigest: string): Promise<RedisGate> => {
    const gate = openGate({ redis, keyDigest, windowMs: settings.rateWindowMs }).then((opened) => resources.use(opened))
    gates.set(keyDigest, gate)
    // The next request retries.
    gate.catch(() => gates.delete(keyDigest))
    return gate
  }
  const gateOf = (name: string): Promise<RedisGate> => gates.get(name) ?? begin(name)
  return { pipeline, gateOf, skippedBy: skippedReader(pipeline.ledger) }
}

/** Caches the reasons until the number of skipped files changes: pages poll every two seconds. */
function skippedReader(ledger: Pipeline['ledger']): Opened['skippedBy'] {
  let known = { skipped: 0, reasons: {} }
  return async (counts) => {
    if (seen(counts) > MAX_READ) return {}
    if (counts.skipped !== known.skipped) {
      const reasons = await countSkipped(ledger, AbortSignal.timeout(READ_MS))
      known = { skipped: counts.skipped, reasons: Object.fromEntries(reasons) }
    }
    return known.reasons
  }
}

async function statusOf({ pipeline, gateOf, skippedBy }: Opened, settings: Settings, pace: Pace): Promise<LiveStatus> {
  const { ledger, queue, outages, activity, source, connection } = pipeline
  const report = await pipeline.lastRun.read()
  const gate = await hostedGate(settings, report.run)
  const [counts, backlog, workers, paused, out, doing, state, credits] = await Promise.all([
    ledger.counts(),
    queue.backlog(),
    queue.workers(),
    queue.paused(),
    outages.list(),
    activity.read(),
    gate === null ? null : gateOf(gate).then((opened) => opened.snapshot()),
    gate === null ? null : creditsOf(connection, gate),
  ])
  const { pending, done, partial, failed, skipped } = counts
  const left = limitsOf(state, paused || out.length > 0)
  pace.note(done + partial + failed, performance.now(), left)
  return {
    perSecond: pace.perMs * 1000,
    leftMs: pace.leftMs(pending, left),
    source: source.url,
    counts: { pending, done, partial, failed, skipped },
    skippedBy: await skippedBy(counts),
    backlog,
    workers,
    paused,
    lastRun: describeRun(report, Date.now()),
    limiter: state === null ? null : limiterOf(state, workers > 0),
    budgets: [
      ...(doing.cap === null ? [] : [{ scope: 'run' as const, ...doing.cap, held: 0 }]),
      ...(credits === null
        ? []
        : [
            {
              scope: 'month' as const,
              limit: settings.monthlyCredits ?? null,
              ...(credits.month ?? { spent: 0, held: 0 }),
            },
          ]),
    ],
    processes: doing.processes.map((one) => ({ ...one, documents: [...one.documents] })),
    outages: [...out],
  }
}

function limiterOf(state: GateState, probes: boolean): LiveStatus['limiter'] {
  const { windowMs, rate, places, inFlight, serviceMs, admitted, refused, shut } = state
  return {
    line: gateLine(state, { probes, now: Date.now() }),
    windowMs,
    ratePerWindow: rate?.perWindow ?? null,
    rateLearned: rate?.learned ?? false,
    places: places.count,
    placesLearned: places.learned,
    inFlight,
    serviceMs,
    admitted,
    refused,
    waitsUntil: probes || shut === null ? waitsUntil(state, Date.now()) : null,
    shut: shut === null ? null : { cause: shut.cause, probeInMs: probes ? shut.probeInMs : null },
  }
}
