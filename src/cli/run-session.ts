import { openWorkshop, type Workshop } from '#workers/compose.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { listenForStop } from '#workers/lifecycle.ts'
import type { Settings } from '#config/settings.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { type Tally, tallyOf } from '#src/observe/tally.ts'
import { Events } from '#src/events.ts'
import { exitCodeOf, type RunEnd } from './exit-codes.ts'
import { oneLine } from './format.ts'
import { startProgress } from './progress.ts'
import { summaryOf } from './summary.ts'

/** Dead letters read for the summary at the most. */
const LETTERS = 10

type Intake = WorkerOptions['intake']

/** Work that comes to an end, as a person sees it: progress, then the summary; sets the honest exit code. */
export async function runSession(source: string, settings: Settings, intake: Intake): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const events = new Events()
  const tally = tallyOf(events)
  using stopping = listenForStop(
    () => say('finishing what is under way; Ctrl-C again to stop at once'),
    () => say('stopping at once; nothing is lost, run again to go on'),
  )
  await using workshop = await openWorkshop({ source, settings, events, say }, stopping.soft)
  const startedAt = Date.now()
  const end = await runOnce(workshop, tally, stopping, intake)
  const counts = await workshop.ledger.counts()
  const letters = counts.failed > 0 ? await firstLetters(workshop) : []
  process.stdout.write(
    summaryOf({
      end,
      counts,
      tally,
      elapsedMs: Date.now() - startedAt,
      out: workshop.store.url,
      letters,
      ambiguous: await workshop.ambiguous(),
    }),
  )
  process.exitCode = exitCodeOf(end, counts)
}

async function runOnce(
  workshop: Workshop,
  tally: Tally,
  stopping: Parameters<typeof runWorker>[1],
  intake: Intake,
): Promise<RunEnd> {
  const progress = startProgress({
    stream: process.stderr,
    tally,
    counts: () => workshop.ledger.counts(),
    gateLine: () => workshop.gateLine(),
    now: Date.now,
  })
  try {
    const end = await runWorker(workshop, stopping, { intake, onHalt: 'stop' })
    if (end.kind === 'halted') process.stderr.write(`halted: ${oneLine(end.message)}\n`)
    return end
  } finally {
    progress.stop()
  }
}

async function firstLetters({ store }: Workshop): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = []
  for await (const letter of store.listDeadLetters(AbortSignal.timeout(30_000))) {
    letters.push(letter)
    if (letters.length >= LETTERS) break
  }
  return letters
}
