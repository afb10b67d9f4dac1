import type { SourceKey } from '#src/document/ids.ts'
import { SourceUnusable } from '#src/document/source-unusable.ts'
import { StoreUnusable } from '#src/document/store-unusable.ts'
import type { JobVerdict } from '#src/ports/queue.ts'
import type { Events } from '#src/events.ts'
import type { Halting } from './deps.ts'
import type { DependencyHealth } from './dependency-health.ts'
import { postpone } from './job-verdicts.ts'

/** How long a document waits for a source or a store that is unusable at the moment. */
const AWAY_MS = 5_000

interface OutageDeps extends Halting {
  readonly dependencyHealth: DependencyHealth
  readonly events: Events
}

/**
 * A source or a store that fails every document uses no attempt of any: they come again until it is back. When that
 * lasts longer than the patience that there is with the store the batch is halted, as it is where outputs cannot be
 * written. Rejects with what fails this document alone.
 */
export async function postponeDuringOutage(
  key: SourceKey,
  work: () => Promise<JobVerdict>,
  { dependencyHealth, events, halt, storePatienceMs }: OutageDeps,
  signal: AbortSignal,
): Promise<JobVerdict> {
  const begunAt = dependencyHealth.begin()
  try {
    const verdict = await work()
    dependencyHealth.worked(key)
    if (verdict.kind === 'finish') {
      for (const dependency of ['source', 'store'] as const) events.emit('dependency:works', { dependency })
    }
    return verdict
  } catch (error) {
    if (signal.aborted || !(error instanceof StoreUnusable || error instanceof SourceUnusable)) throw error
    const awayForMs = dependencyHealth.failed(key, begunAt)
    if (awayForMs === null) throw error
    events.emit('stage:failed', { key, stage: 'read', error })
    const dependency = error instanceof StoreUnusable ? 'store' : 'source'
    events.emit('dependency:failed', { dependency, cause: error.message })
    if (awayForMs > storePatienceMs) halt('store', error.message)
    return postpone(AWAY_MS, error.message)
  }
}
