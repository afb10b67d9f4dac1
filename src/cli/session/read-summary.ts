import { commandLine } from '#config/invocation.ts'
import { type Counts, seen } from '#src/document/outcome.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import { countSkipped } from '#src/ingest/document/skip-file.ts'
import type { Tally } from '#src/observe/tally.ts'
import type { IngestPipeline } from '#workers/pipeline/pipeline.ts'
import { exitCodeOf, type RunEnd } from '../print/exit-codes.ts'
import type { Output } from '../print/output.ts'
import { summaryOf, type SummaryInput } from '../print/summary.ts'
import { summaryEvent } from './run-events.ts'
import type { Target } from './targets.ts'

/** Maximum number of dead letters read for the summary. */
const LETTERS = 10

/** State of a pipeline before its work, for the summary. */
export interface Start {
  readonly at: number
  readonly counts: Counts
  readonly ended: number
}

export async function startOf({ ledger }: IngestPipeline): Promise<Start> {
  return { at: performance.now(), counts: await ledger.counts(), ended: await ledger.endedTotal() }
}

interface Ended {
  readonly tally: Tally
  readonly start: Start
  readonly end: RunEnd
  readonly follows?: boolean
}

export async function readSummary(
  pipeline: IngestPipeline,
  target: Target,
  { tally, start, end, follows = false }: Ended,
): Promise<SummaryInput> {
  const { ledger, intents } = pipeline
  const counts = await ledger.counts()
  return {
    end,
    counts,
    doneBefore: seen(start.counts) - start.counts.pending,
    endedSince: (await ledger.endedTotal()) - start.ended,
    tally,
    skipped: await itemised(pipeline, tally, counts.skipped),
    elapsedMs: performance.now() - start.at,
    out: target.settings.out,
    letters: counts.failed > 0 ? await firstLetters(pipeline) : [],
    ambiguous: await intents.ambiguousTotal(),
    follows,
    remedies: remediesOf(target),
    columns: process.stdout.columns || 80,
  }
}

/** Commands that list the failures and parse them again. */
function remediesOf({ name, source, settings: { out } }: Target): string[] {
  const [store, all] =
    name === null
      ? [
          ['--out', out],
          [source, '--out', out],
        ]
      : [
          ['--pipeline', name],
          ['--pipeline', name],
        ]
  return [`list them: ${commandLine('failures', ...store)}`, `parse them again: ${commandLine('retry', ...all)}`]
}

/** Prints the summary of a target; `exitCode` of the process by default follows from it. Returns the exit code. */
export function printSummary(summary: SummaryInput, target: Target, output: Output, exitCode?: number): number {
  const { end, counts, tally } = summary
  const code = exitCode ?? exitCodeOf(end, { ...counts, unsupported: target.settings.strict ? tally.unsupported : 0 })
  const title = target.name === null ? '' : `${target.name}: `
  output.result(`${title}${summaryOf(summary)}`, () => summaryEvent(summary, target.name, code))
  return code
}

/**
 * Falls back to the ledger if the tally differs: after an interrupted scan, after several scans, or for a source that
 * lists a part.
 */
async function itemised(
  { ledger }: IngestPipeline,
  { skipped }: Tally,
  total: number,
): Promise<ReadonlyMap<string, number>> {
  const counted = [...skipped.values()].reduce((sum, number) => sum + number, 0)
  return counted === total ? skipped : countSkipped(ledger, AbortSignal.timeout(30_000))
}

async function firstLetters({ store }: IngestPipeline): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  try {
    for await (const letter of store.deadLetters.list(AbortSignal.timeout(30_000))) {
      letters.push(letter)
      if (letters.length >= LETTERS) break
    }
  } catch (error) {
    // The store is unavailable: the summary of that run names no dead letters.
    if (!(error instanceof StoreUnusable)) throw error
  }
  return letters
}
