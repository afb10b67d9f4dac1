import type { LedgerEntry, Ledger, OutputStore } from '#src/ports.ts'
import { seen } from '#src/document/outcome.ts'
import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { batchesOf } from './batches.ts'
import { GONE } from './decide-change.ts'

const BATCH = 500

/**
 * Fills an empty ledger from the store (Law 4): Redis may be lost, the store tells what is done. A dead letter wins
 * over an older record of the same key; a record for the same version was committed after it.
 */
export async function rebuildIfLost(ledger: Ledger, store: OutputStore, signal: AbortSignal): Promise<number> {
  return seen(await ledger.counts()) > 0 ? 0 : fill(ledger, store, signal)
}

/** Makes the ledger from the store alone, whatever it said before: what was pending is found again by the next scan. */
export async function rebuildLedger(ledger: Ledger, store: OutputStore, signal: AbortSignal): Promise<number> {
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) await ledger.forget(batch.map(([key]) => key))
  return fill(ledger, store, signal)
}

async function fill(ledger: Ledger, store: OutputStore, signal: AbortSignal): Promise<number> {
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
  for await (const { key, version, recipeHash, outcome, goneAt } of store.listRecords(signal)) {
    await add(key, { version: goneAt === undefined ? version : GONE, recipeHash, outcome })
  }
  for await (const letter of store.listDeadLetters(signal)) {
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
