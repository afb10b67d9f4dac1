import { openWorkshop, type Workshop } from '#workers/compose.ts'
import { runWorker, type WorkerOptions } from '#workers/ingest.ts'
import { isStop, listenForStop, type Stopping } from '#workers/lifecycle.ts'
import type { Shared } from '#workers/shared.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { seen } from '#src/document/outcome.ts'
import { type Tally, tallyOf } from '#src/observe/tally.ts'
import { Events } from '#src/events.ts'
import { checkSource } from './check-source.ts'
import { EXIT, exitCodeOf, type RunEnd, worstOf } from './exit-codes.ts'
import { oneLine } from './format.ts'
import { renewLost } from '#src/ingest/lost-records.ts'
import { localLine } from './local-line.ts'
import { lostLine } from './lost-line.ts'
import { startProgress } from './progress.ts'
import { summaryOf } from './summary.ts'
import { type Say, sayFor, sayOnStderr, type Target, type Targets } from './targets.ts'
import { tellLosses } from './tell-losses.ts'
import { messageOf } from './usage-error.ts'

/** When something hangs beyond the grace period. */
const STOPPED_WAITING = 'stopped without waiting any longer: what was in flight comes again at the next start'

/** Dead letters read for the summary at the most. */
const LETTERS = 10

const NOT_BEGUN = 'not begun: run again to go on'

type Intake = WorkerOptions['intake']

/**
 * Work that comes to an end, one target after the other, as a person sees it: progress, then the summary of each; sets
 * the honest exit code. A pipeline that cannot be run does not keep the others from their turn.
 */
export async function runSession({ targets, shared }: Targets, intake: Intake): Promise<void> {
  await using _closing = shared
  using stopping = listenForStop({
    onFirst: () => sayOnStderr('finishing what is under way; Ctrl-C again to stop at once'),
    onSecond: () => sayOnStderr('stopping at once; nothing is lost, run again to go on'),
    onWall: () => sayOnStderr(STOPPED_WAITING),
  })
  const codes: number[] = []
  for (const target of targets) {
    if (stopping.soft.aborted) {
      sayFor(target, sayOnStderr)(NOT_BEGUN)
      continue
    }
    try {
      codes.push(await runTarget(target, shared, stopping, intake))
    } catch (error) {
      if (isStop(error, stopping)) {
        codes.push(EXIT.interrupted)
        sayFor(target, sayOnStderr)(NOT_BEGUN)
        continue
      }
      if (targets.length === 1) throw error
      codes.push(EXIT.usage)
      sayFor(target, sayOnStderr)(messageOf(error))
    }
  }
  process.exitCode = worstOf(codes)
}

async function runTarget(target: Target, shared: Shared, stopping: Stopping, intake: Intake): Promise<number> {
  await checkSource(target)
  const events = new Events()
  const tally = tallyOf(events)
  const say = sayFor(target, sayOnStderr)
  tellLosses(events, say)
  await using workshop = await openWorkshop(
    { ...target, shared, events, say, mustExist: typeof intake === 'function' },
    stopping.soft,
  )
  if (workshop.local !== null) say(localLine(workshop.local, workshop.scan.parsers.own.origin))
  const lost = intake === 'scan' ? await renewLost(workshop, stopping.soft) : []
  if (lost.length > 0) say(lostLine(lost, 'done again, from their receipts where those are there'))
  const startedAt = performance.now()
  const before = await workshop.ledger.counts()
  const end = await runOnce(workshop, tally, stopping, intake, say)
  const counts = await workshop.ledger.counts()
  const letters = counts.failed > 0 ? await firstLetters(workshop) : []
  sayFor(
    target,
    (text) => void process.stdout.write(text),
  )(
    summaryOf({
      end,
      counts,
      doneBefore: seen(before) - before.pending,
      tally,
      elapsedMs: performance.now() - startedAt,
      out: workshop.store.url,
      letters,
      ambiguous: await workshop.ambiguous(),
    }),
  )
  return exitCodeOf(end, { ...counts, unsupported: target.settings.strict ? tally.unsupported : 0 })
}

async function runOnce(
  workshop: Workshop,
  tally: Tally,
  stopping: Stopping,
  intake: Intake,
  say: Say,
): Promise<RunEnd> {
  const progress = startProgress({
    stream: process.stderr,
    tally,
    counts: () => workshop.ledger.counts(),
    gateLine: () => workshop.gateLine(),
  })
  try {
    const end = await runWorker(workshop, stopping, { intake, onHalt: 'stop' })
    if (end.kind === 'halted') say(`halted: ${oneLine(end.message)}`)
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
