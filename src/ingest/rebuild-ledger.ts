import type { LedgerEntry } from '#src/ports.ts'
import { seen } from '#src/document/outcome.ts'
import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { batchesOf } from './batches.ts'
import { GONE } from './decide-change.ts'
import type { IngestDeps } from './deps.ts'

const BATCH = 500

export type RebuildDeps = Pick<IngestDeps, 'ledger' | 'store' | 'owner'>

/**
 * Fills an empty ledger from the store (Law 4): Redis may be lost, the store tells what is done. A dead letter wins
 * over an older record of the same key; a record for the same version was committed after it. What other sources put
 * into the same store is theirs: this source would take it for gone.
 */
export async function rebuildIfLost(deps: RebuildDeps, signal: AbortSignal): Promise<number> {
  return seen(await deps.ledger.counts()) > 0 ? 0 : fill(deps, signal)
}

/** Makes the ledger from the store alone, whatever it said before: what was pending is found again by the next scan. */
export async function rebuildLedger(deps: RebuildDeps, signal: AbortSignal): Promise<number> {
  const { ledger } = deps
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) await ledger.forget(batch.map(([key]) => key))
  return fill(deps, signal)
}

async function fill({ owner, ledger, store }: RebuildDeps, signal: AbortSignal): Promise<number> {
  let rebuilt = 0
  let batch: (readonly [SourceKey, LedgerEntry])[] = []
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await ledger.write(batch)
    rebuilt += batch.length
    batch = []
  }
  const add = async (key: SourceKey, entry: LedgerEntry): Promise<void> => {
    batch.push([key, entry])
    if (batch.length >= BATCH) await flush()
  }
  for await (const record of store.listRecords(signal)) {
    if (!belongsTo(record, owner)) continue
    const { key, version, recipeHash, outcome, goneAt } = record
    await add(key, { version: goneAt === undefined ? version : GONE, recipeHash, outcome })
  }
  for await (const letter of store.listDeadLetters(signal)) {
    if (!belongsTo(letter, owner)) continue
    const record = await store.readRecord(letter.key)
    if (record !== null && record.version === letter.version && record.finishedAt > letter.lastAt) continue
    await add(letter.key, {
      version: letter.version,
      recipeHash: letter.recipeHash ?? NO_RECIPE,
      outcome: 'failed',
    })
  }
  await flush()
  return rebuilt
}
