import type { IngestDeps } from '#src/ingest/deps.ts'
import { FailingSince } from '#src/ingest/process/failing-since.ts'
import { Refusals } from '#src/ingest/process/refusals.ts'
import { SourceView } from '#src/ingest/scan/source-view.ts'
import { TimedOut } from '#src/ingest/process/timed-out.ts'
import { DependencyHealth } from '#src/ingest/process/dependency-health.ts'

/** What each process derives from its own signals, documents, clock and random numbers. */
export const processState = (
  stopping: AbortSignal,
): Pick<
  IngestDeps,
  'stopping' | 'now' | 'random' | 'dependencyHealth' | 'view' | 'refusals' | 'lowSpace' | 'timedOut'
> => ({
  stopping,
  now: Date.now,
  random: Math.random,
  dependencyHealth: new DependencyHealth(),
  view: new SourceView(),
  refusals: new Refusals(),
  lowSpace: new FailingSince(),
  timedOut: new TimedOut(),
})
