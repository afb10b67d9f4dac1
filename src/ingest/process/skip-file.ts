import { NO_RECIPE } from '#src/document/ids.ts'
import type { DocumentJob, JobVerdict } from '#src/ports/queue.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import { decideSkip, type SkipDecision, type SkippedFile } from './decide-skip.ts'
import type { Clock } from '#src/ports/clock.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OwnedStore, Recipes, Reporting } from './deps.ts'
import { FINISH } from './job-verdicts.ts'
import { recommit } from './recommit.ts'

interface SkipFileDeps extends OwnedStore, Recipes {
  readonly clock: Clock
}

/**
 * A file that is no document: the ledger counts it as skipped, so that `seen` is all that the source holds, unless its
 * outputs stand for it. Answers the entry to be written down, or null where that stands there already.
 */
export async function skipFile(
  file: SkippedFile,
  known: LedgerEntry | null,
  deps: SkipFileDeps & Reporting & { readonly removeGone: boolean },
): Promise<LedgerEntry | null> {
  const { key, reason } = file
  const decision = await decideSkip(file, known, deps)
  if (decision.kind === 'stays') {
    deps.events.emit('document:seen', { key, change: 'unchanged' })
    if (decision.entry === known) return null
    await tidyStore(file, decision, known, deps)
    return decision.entry
  }
  const { entry } = decision
  const first = known?.outcome !== 'skipped' || known.version !== entry.version
  const hasOutputs = entry.recipeHash !== NO_RECIPE && !deps.removeGone
  deps.events.emit('document:seen', { key, change: 'skipped' })
  deps.events.emit('document:skipped', { key, reason, first, hasOutputs })
  if (known?.outcome !== 'skipped') await tidyStore(file, decision, known, deps)
  if (deps.removeGone && entry.recipeHash !== NO_RECIPE) {
    await deps.store.remove(key)
    return { ...entry, recipeHash: NO_RECIPE }
  }
  return first ? entry : null
}

/** Dead letters of a file that is no document are taken away; outputs that stand for it no more are marked as gone. */
async function tidyStore(
  { key }: SkippedFile,
  decision: SkipDecision,
  known: LedgerEntry | null,
  deps: SkipFileDeps,
): Promise<void> {
  if (decision.kind === 'stays') {
    if (decision.record !== null) await recommit(decision.record, null, deps)
  } else if (decision.outdated !== null) {
    await recommit(decision.outdated, new Date(deps.clock.wall()), deps)
  } else if (known?.outcome === 'failed' || known?.outcome === 'pending') {
    if ((await deps.store.readRecord(key)) === null) await deps.store.remove(key)
  }
}

/**
 * The job of a document that is left out by now: the settings changed since it was enqueued. Its entry becomes what a scan
 * makes of it, and nothing is bought for it.
 */
export async function leaveOut(
  { key, version }: DocumentJob,
  skip: Omit<SkippedFile, 'key'>,
  deps: SkipFileDeps & { readonly ledger: Ledger },
): Promise<JobVerdict> {
  const [known] = await deps.ledger.read([key])
  if (known?.outcome === 'pending' && known.version === version) await leaveOutPending({ key, ...skip }, known, deps)
  return FINISH
}

/** As `leaveOut`, of a document that is pending without a job: a run that was halted had not enqueued it. */
export async function leaveOutPending(
  file: SkippedFile,
  known: LedgerEntry,
  deps: SkipFileDeps & { readonly ledger: Ledger },
): Promise<void> {
  const decision = await decideSkip(file, known, deps)
  await tidyStore(file, decision, known, deps)
  await deps.ledger.advance([{ key: file.key, known, entry: decision.entry }])
}
