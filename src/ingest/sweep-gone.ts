import { seen } from '#src/document/outcome.ts'
import type { SourceKey } from '#src/document/ids.ts'
import type { DocumentRecord } from '#src/document/record.ts'
import { GONE } from './decide-change.ts'
import type { IngestDeps } from './deps.ts'
import type { KeySet } from './key-set.ts'

/** What becomes of documents that are no longer in their source. */
export interface GonePolicy {
  /** Removes their outputs; else they are kept, and marked in the ledger. Receipts stay in both cases. */
  readonly remove: boolean
  /** More of the archive than this (0 to 1) is not believed to be gone: a disk that is not mounted looks the same. */
  readonly believableShare: number
  /** Believes it all the same. */
  readonly force: boolean
}

export interface GoneSummary {
  /** Gone documents whose outputs are kept, those of earlier runs included. */
  readonly kept: number
  readonly removed: number
  /** More documents were missing than the policy believes, and nothing was touched. */
  readonly unbelievable: boolean
}

/** So few may always be gone, however small the archive is; unless it is empty. */
const ALWAYS_BELIEVABLE = 10

export type SweepDeps = Pick<IngestDeps, 'source' | 'store' | 'ledger' | 'events'>

/**
 * After a listing that came to its end: what the ledger has and the listing had not is gone, if the source itself says
 * so when it is asked for that very document. A name left out by a filter is therefore never taken for gone. Nothing is
 * asked where the ledger has no more documents than were listed.
 */
export async function sweepGone(
  listed: KeySet,
  policy: GonePolicy,
  deps: SweepDeps,
  signal: AbortSignal,
): Promise<GoneSummary> {
  const known = seen(await deps.ledger.counts())
  if (known <= listed.size) return { kept: 0, removed: 0, unbelievable: false }
  const believable = listed.size === 0 ? 0 : Math.max(ALWAYS_BELIEVABLE, known * policy.believableShare)
  const gone: SourceKey[] = []
  for await (const [key] of deps.ledger.entries(signal)) {
    if (listed.has(key) || !(await isGone(key, deps, signal))) continue
    gone.push(key)
    if (!policy.force && gone.length > believable) return { kept: 0, removed: 0, unbelievable: true }
  }
  let kept = 0
  for (const key of gone) {
    if (await settleGone(key, policy, deps)) kept += 1
  }
  return { kept, removed: gone.length - kept, unbelievable: false }
}

async function isGone(key: SourceKey, { source }: SweepDeps, signal: AbortSignal): Promise<boolean> {
  const opened = await source.open(key, signal)
  if ('message' in opened) return opened.code === 'vanished'
  await opened[Symbol.asyncDispose]()
  return false
}

/** Says whether there are outputs that were kept. A document of which nothing came is forgotten with its dead letter. */
async function settleGone(key: SourceKey, policy: GonePolicy, deps: SweepDeps): Promise<boolean> {
  const record = policy.remove ? null : await deps.store.readRecord(key)
  if (record === null) {
    await deps.store.remove(key)
    await deps.ledger.forget([key])
    deps.events.emit('document:seen', { key, change: 'gone' })
    return false
  }
  const [entry] = await deps.ledger.read([key])
  if (entry?.version === GONE) return true
  await dropLetter(record, deps)
  const { recipeHash, outcome } = record
  await deps.ledger.write([[key, { version: GONE, recipeHash, outcome }]])
  deps.events.emit('document:seen', { key, change: 'gone' })
  return true
}

/** The same outputs are committed once more, which takes a dead letter of a later version away. */
async function dropLetter(record: DocumentRecord, { store }: SweepDeps): Promise<void> {
  if ((await store.readDeadLetter(record.key)) === null) return
  const files = new Map<string, Uint8Array>()
  for (const { name } of record.files) {
    const bytes = await store.readOutput(record.key, name)
    if (bytes !== null) files.set(name, bytes)
  }
  if (files.size === record.files.length) await store.commit(record, files)
}
