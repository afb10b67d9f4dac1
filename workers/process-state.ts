import type { IngestDeps } from '#src/ingest/deps.ts'
import type { Clock } from '#src/ports/clock.ts'
import { FailingSince } from '#src/ingest/process/failing-since.ts'
import { Refusals } from '#src/ingest/process/refusals.ts'
import { SourceView } from '#src/ingest/scan/source-view.ts'
import { RecentCosts } from '#src/ingest/process/recent-costs.ts'
import { SitePauses } from '#src/ingest/process/site-pauses.ts'
import { TimedOut } from '#src/ingest/process/timed-out.ts'
import { DependencyHealth } from '#src/ingest/process/dependency-health.ts'

/** What each process derives from its own signals, documents, clock and random numbers. */
export const processState = (
  stopping: AbortSignal,
  clock: Clock,
): Pick<
  IngestDeps,
  | 'stopping'
  | 'clock'
  | 'random'
  | 'dependencyHealth'
  | 'view'
  | 'refusals'
  | 'lowSpace'
  | 'timedOut'
  | 'sitePauses'
  | 'recentCosts'
> => ({
  stopping,
  clock,
  random: Math.random,
  dependencyHealth: new DependencyHealth(clock.monotonic),
  view: new SourceView(),
  refusals: new Refusals(),
  lowSpace: new FailingSince(clock.monotonic),
  timedOut: new TimedOut(),
  sitePauses: new SitePauses(clock.monotonic),
  recentCosts: new RecentCosts(),
})
