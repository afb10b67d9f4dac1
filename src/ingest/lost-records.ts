import type { SourceKey } from '#src/document/ids.ts'
import type { LedgerEntry } from '#src/ports.ts'
import { batchesOf } from './batches.ts'
import { GONE } from './decide-change.ts'
import type { IngestDeps } from './deps.ts'

const BATCH = 500

type LostDeps = Pick<IngestDeps, 'ledger' | 'store'>
type Entry = readonly [SourceKey, LedgerEntry]

/** Documents that the ledger lists as done, and that have no record in the store: something removed it from outside. */
export async function* lostRecords({ ledger, store }: LostDeps, signal: AbortSignal): AsyncGenerator<Entry> {
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) {
    const done = batch.filter(([, { outcome }]) => outcome === 'done' || outcome === 'partial')
    const have = await store.haveRecords(done.map(([key]) => key))
    for (const [at, entry] of done.entries()) if (have[at] === false) yield entry
  }
}

/**
 * Lets the next scan do them again, from their receipts where those are there. Before workers begin: one between its
 * commit and the ledger would be taken for lost. Answers how many there were.
 */
export async function renewLost(deps: LostDeps, signal: AbortSignal): Promise<readonly SourceKey[]> {
  const lost: SourceKey[] = []
  for await (const [key, entry] of lostRecords(deps, signal)) {
    lost.push(key)
    if (entry.version === GONE) await deps.ledger.forget([key])
    else await deps.ledger.write([[key, { version: entry.version, recipeHash: entry.recipeHash, outcome: 'pending' }]])
  }
  return lost
}
