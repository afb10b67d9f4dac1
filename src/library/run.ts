import { readConfiguration } from '#config/read-config.ts'
import type { SettingName } from '#config/settings.ts'
import { openIngestPipeline } from '#workers/compose.ts'
import { runWorker } from '#workers/ingest.ts'
import type { Stopping } from '#workers/process/lifecycle.ts'
import type { DeadLetter } from '#src/document/record.ts'
import type { Counts } from '#src/document/outcome.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { HaltCause } from '#src/document/verdict.ts'
import { Events, type SluiceEvents } from '#src/events.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import type { Parser } from '#src/ports/parser.ts'
import type { Source } from '#src/ports/source.ts'
import { tallyOf } from '#src/observe/tally.ts'
import { customStore } from './custom-store.ts'

/** Settings by their names in sluice.yaml; values as on the command line, durations as `30s`. */
export type SettingValues = Readonly<Partial<Record<SettingName, string | number | boolean>>>

export interface RunOptions {
  /** Folder, `s3://bucket/prefix`, list of URLs or website, as on the command line; or a custom source. */
  readonly source: string | Source
  /** Folder or `s3://bucket/prefix`; or a custom store. */
  readonly out: string | OutputStore
  /** Replaces the service of `parseApiUrl` and the embedded engine. */
  readonly parser?: Parser
  /** Credits per document with `parser`: `settings.maxCredits` limits their sum. Default: free. */
  readonly price?: number
  /** Take precedence over the environment. No settings file is read. */
  readonly settings?: SettingValues
  /** Abort stops intake, and gives requests in flight `grace` to finish. */
  readonly signal?: AbortSignal
  /** Called for each document that reached a final outcome in this run. */
  readonly onDocument?: (document: SettledDocument) => void
  /** Called with one line about a slow step or a notable fact. */
  readonly onNote?: (line: string) => void
}

export type SettledDocument = SluiceEvents['document:settled'][0]

export interface RunResult {
  /** `halted`: credits, key, budget, store, or a service that refuses everything; another run continues the work. */
  readonly end: 'complete' | 'halted' | 'interrupted'
  readonly cause: HaltCause | null
  readonly message: string | null
  /** Counts of the complete source, earlier runs included. */
  readonly counts: Counts
  /** True if nothing failed and nothing is pending: `sluice run` then exits with 0. */
  readonly isWhole: boolean
  /** Credits of this run. */
  readonly credits: { readonly reported: number; readonly estimated: number }
  readonly requests: number
  /** Documents that failed, with their reasons; the first hundred. */
  readonly failures: readonly DeadLetter[]
}

const MAX_FAILURES = 100

/**
 * Makes one pass over a source: parses new and changed documents, like `sluice run`. Resolves when every document
 * reached a final outcome. A failed document is part of the result.
 *
 * @throws {SetupError} for settings, a source or a store that cannot be used
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { source, out, parser, settings = {}, signal = new AbortController().signal } = options
  const read = await settingsOf({ ...settings, ...(typeof out === 'string' ? { out } : {}) })
  const events = new Events()
  const tally = tallyOf(events)
  events.on('document:settled', (document) => options.onDocument?.(document))
  const custom = {
    ...(typeof source === 'string' ? {} : { source }),
    ...(typeof out === 'string' ? {} : { store: customStore(out) }),
    ...(parser === undefined ? {} : { parser }),
    ...(options.price === undefined ? {} : { price: options.price }),
  }
  const name = typeof source === 'string' ? source : source.url
  const say = options.onNote ?? ((): void => undefined)
  await using pipeline = await openIngestPipeline({ source: name, settings: read, events, say, custom }, signal)
  using stopping = stoppingOf(signal)
  const end = await runWorker(pipeline, stopping, { intake: 'scan', onHalt: 'stop' })
  const counts = await pipeline.ledger.counts()
  const unfinished = end.kind === 'complete' ? end.unfinished : 0
  return {
    end: end.kind,
    cause: end.kind === 'halted' ? end.cause : null,
    message: end.kind === 'halted' ? end.message : null,
    counts,
    isWhole: end.kind === 'complete' && counts.failed + counts.pending + unfinished === 0,
    credits: tally.credits,
    requests: tally.requests,
    failures: counts.failed === 0 ? [] : await firstLetters(pipeline.store),
  }
}

/** Reads the settings of the environment; `values` take precedence. */
export async function settingsOf(values: SettingValues) {
  const flags = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  )
  const read = await readConfiguration({ flags, config: false })
  if (!read.ok) throw new SetupError(`these settings cannot be used: ${read.problems.join('; ')}`)
  return read.configuration.settings
}

async function firstLetters(store: OutputStore): Promise<readonly DeadLetter[]> {
  const letters: DeadLetter[] = []
  for await (const letter of store.deadLetters.list(new AbortController().signal)) {
    letters.push(letter)
    if (letters.length >= MAX_FAILURES) break
  }
  return letters
}

/** The signals of the process belong to the calling program. */
function stoppingOf(signal: AbortSignal): Stopping {
  const own = new AbortController()
  return {
    soft: AbortSignal.any([signal, own.signal]),
    hard: new AbortController().signal,
    firstSignal: () => null,
    stop: () => own.abort(new Error('stopped')),
    setGracePeriod: () => undefined,
    [Symbol.dispose]: () => undefined,
  }
}
