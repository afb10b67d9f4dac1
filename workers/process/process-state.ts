import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '#src/ingest/document/deps.ts'
import { DependencyHealth, FailureStreak } from '#src/ingest/document/dependency-health.ts'
import { RecentCosts } from '#src/ingest/document/costs.ts'
import { Refusals } from '#src/ingest/document/refusals.ts'
import { SitePauses, TimeoutMemory } from '#src/ingest/document/service-memory.ts'
import { SourceView } from '#src/ingest/document/source-view.ts'
import type { Clock } from '#src/ports/clock.ts'

/** State that each process derives from its signals, documents, clock and random numbers. */
export const processState = (stopping: AbortSignal, clock: Clock) =>
  ({
    stopping,
    clock,
    random: Math.random,
    dependencyHealth: new DependencyHealth(clock.monotonic),
    view: new SourceView(),
    refusals: new Refusals(),
    lowSpace: new FailureStreak(clock.monotonic),
    timeoutMemory: new TimeoutMemory(),
    sitePauses: new SitePauses(clock.monotonic),
    recentCosts: new RecentCosts(),
  }) satisfies Partial<Run>

/** The clocks of this machine, with the shared clock of all processes. */
export const systemClock = (shared: () => number): Clock => ({
  wall: Date.now,
  monotonic: () => performance.now(),
  shared,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
})
