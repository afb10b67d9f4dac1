import type { SourceChange, SourceEntry, SourceWatch } from '#src/ports.ts'
import type { ScanDeps } from './deps.ts'
import { backlogBelowLimit, scanBatch } from './scan-source.ts'

/**
 * Keeps following a source until `signal` aborts: every change that a watch reports is compared with the ledger like
 * an entry of a listing, so reports that come twice, or late, or from several watchers, enqueue nothing twice.
 */
export async function followSource(watch: SourceWatch, deps: ScanDeps, signal: AbortSignal): Promise<void> {
  for await (const changes of watch.changes(signal)) {
    const entries = changes.filter(isThere)
    await backlogBelowLimit(deps, signal)
    await scanBatch(entries, deps, signal)
    for (const change of changes) {
      if (change.kind === 'gone') deps.events.emit('document:seen', { key: change.key, change: 'gone' })
    }
  }
}

const isThere = (change: SourceChange): change is SourceEntry => change.kind !== 'gone'
