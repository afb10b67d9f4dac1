import type { IngestDeps } from '#src/ingest/deps.ts'
import { FailingSince } from '#src/ingest/failing-since.ts'
import { Refusals } from '#src/ingest/refusals.ts'
import { SourceView } from '#src/ingest/source-view.ts'
import { TimedOut } from '#src/ingest/timed-out.ts'
import { Surroundings } from '#src/ingest/surroundings.ts'

/** What each process derives from its own signals, documents, clock and random numbers. */
export const ownOfProcess = (
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
