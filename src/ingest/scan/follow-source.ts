import { describeSystemError } from '#src/document/describe-system-error.ts'
import type { Events } from '#src/events.ts'
import type { SourceChange, SourceWatch } from '#src/ports/source.ts'
import type { SourceItem } from '#src/document/source-item.ts'
import type { ScanDeps } from '../process/deps.ts'
import { backlogBelowLimit, scanBatch } from './scan-source.ts'

/**
 * Keeps following a source until `signal` aborts: every change that a watch reports is compared with the ledger like
 * an item of a listing, so reports that come twice, or late, or from several watchers, enqueue nothing twice. What was
 * seen to go is only reported (`Deletions`).
 */
export async function followSource(
  watch: SourceWatch,
  deps: ScanDeps,
  onDeletion: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { events } = deps
  const onListed = (): void => {
    events.emit('source:listed')
    events.emit('dependency:works', { dependency: 'source' })
  }
  for await (const changes of reported(watch.changes(signal, onListed), events, signal)) {
    const items = changes.filter(isThere)
    if (items.length < changes.length) onDeletion()
    await backlogBelowLimit(deps, signal)
    await scanBatch(items, deps, signal)
  }
}

/** A listing that fails is an outage of the source. An error of the work on its items does not come by here. */
async function* reported<T>(changes: AsyncIterable<T>, events: Events, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* changes
  } catch (error) {
    if (!signal.aborted) {
      const cause = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
      events.emit('dependency:failed', { dependency: 'source', cause })
    }
    throw error
  }
}

const isThere = (change: SourceChange): change is SourceItem => change.kind !== 'gone'
