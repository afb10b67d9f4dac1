import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { type SkipReason, skipVersion } from '#src/document/skip.ts'
import type { DocumentJob, JobVerdict, LedgerEntry } from '#src/ports.ts'
import type { IngestDeps, ScanDeps } from './deps.ts'
import { FINISH } from './job-verdicts.ts'

/**
 * A file that is no document: the ledger counts it as skipped, so that `seen` is all that the source holds. What came
 * out before a rule left it out stays done: its outputs are there. A dead letter of it is taken away. Answers the entry to
 * be written down, or null where that stands there already.
 */
export async function skipFile(
  key: SourceKey,
  reason: SkipReason,
  known: LedgerEntry | null,
  { store, events }: Pick<ScanDeps, 'store' | 'events'>,
): Promise<LedgerEntry | null> {
  const version = skipVersion(reason)
  const isDone = known?.outcome === 'done' || known?.outcome === 'partial'
  events.emit('document:seen', { key, change: isDone ? 'unchanged' : 'skipped' })
  if (isDone) return null
  const first = known?.version !== version
  events.emit('document:skipped', { key, reason, first })
  if (!first) return null
  if (known?.outcome === 'failed' && (await store.readRecord(key)) === null) await store.remove(key)
  return { version, recipeHash: NO_RECIPE, outcome: 'skipped' }
}

/**
 * The job of a text that is passed through no more: the settings changed since it was enqueued. Its entry becomes what a
 * scan makes of it now.
 */
export async function leaveOut(
  { key, version }: DocumentJob,
  { ledger }: Pick<IngestDeps, 'ledger'>,
): Promise<JobVerdict> {
  const skipped = { version: skipVersion('unsupported'), recipeHash: NO_RECIPE, outcome: 'skipped' } as const
  const [known] = await ledger.read([key])
  if (known?.outcome === 'pending' && known.version === version) await ledger.write([[key, skipped]])
  return FINISH
}
