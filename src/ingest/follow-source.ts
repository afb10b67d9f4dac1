import type { SourceChange, SourceEntry, SourceWatch } from '#src/ports.ts'
import type { ScanDeps } from './deps.ts'
import { backlogBelowLimit, scanBatch } from './scan-source.ts'

/**
 * Keeps following a source until `signal` aborts: every change that a watch reports is compared with the ledger like
 * an entry of a listing, so reports that come twice, or late, or from several watchers, enqueue nothing twice. What was
 * seen to go is only told (`Deletions`).
 */
export async function followSource(
  watch: SourceWatch,
  deps: ScanDeps,
  onDeletion: () => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const changes of watch.changes(signal, () => deps.events.emit('source:listed'))) {
    const entries = changes.filter(isThere)
    if (entries.length < changes.length) onDeletion()
    await backlogBelowLimit(deps, signal)
    await scanBatch(entries, deps, signal)
  }
}

const isThere = (change: SourceChange): change is SourceEntry => change.kind !== 'gone'
