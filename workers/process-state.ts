import type { IngestDeps } from '#src/ingest/deps.ts'
import { FailingSince } from '#src/ingest/process/failing-since.ts'
import { Refusals } from '#src/ingest/process/refusals.ts'
import { SourceView } from '#src/ingest/scan/source-view.ts'
import { TimedOut } from '#src/ingest/process/timed-out.ts'
import { Surroundings } from '#src/ingest/process/surroundings.ts'

/** What each process derives from its own signals, documents, clock and random numbers. */
export const processState = (
  stopping: AbortSignal,
): Pick<IngestDeps, 'stopping' | 'now' | 'random' | 'surroundings' | 'view' | 'refusals' | 'lowRoom' | 'timedOut'> => ({
  stopping,
  now: Date.now,
  random: Math.random,
  surroundings: new Surroundings(),
  view: new SourceView(),
  refusals: new Refusals(),
  lowRoom: new FailingSince(),
  timedOut: new TimedOut(),
})
