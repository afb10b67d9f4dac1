import type { SourceKey } from '#src/document/ids.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore, RecordListing } from '#src/ports/output-store.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { batchesOf } from '../scan/batches.ts'
import { KeySet } from '#src/document/key-set.ts'

const BATCH = 500

interface LostDeps {
  readonly ledger: Ledger
  readonly store: OutputStore
}
type Entry = readonly [SourceKey, LedgerEntry]

/** From so many documents on, the records are listed where that is possible: a page of 1,000 names is one request. */
const LISTED_FROM = 1_000

/** Keys at which a listing is cut into ranges. */
const SAMPLE = 2_000

/**
 * Documents that the ledger lists as done, and that have no record in the store: something removed it from outside. Each
 * is checked by itself before it is reported.
 */
export async function* lostRecords(
  { ledger, store }: LostDeps,
  signal: AbortSignal,
  listedFrom = LISTED_FROM,
): AsyncGenerator<Entry> {
  const { recordListing: listing } = store
  const { done, partial, gone } = await ledger.counts()
  const names = listing === null || done + partial + gone < listedFrom ? null : await listed(listing, ledger, signal)
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) {
    const suspects = batch.filter(([key, entry]) => isDone(entry) && !names?.has(listing?.nameOf(key) ?? ''))
    const have = await store.haveRecords(suspects.map(([key]) => key))
    for (const [at, entry] of suspects.entries()) if (have[at] === false) yield entry
  }
}

const isDone = ({ outcome }: LedgerEntry): boolean => outcome === 'done' || outcome === 'partial'

async function listed(listing: RecordListing, ledger: LostDeps['ledger'], signal: AbortSignal): Promise<KeySet> {
  const some: SourceKey[] = []
  for await (const [key, entry] of ledger.entries(signal)) {
    if (isDone(entry)) some.push(key)
    if (some.length >= SAMPLE) break
  }
  const names = new KeySet()
  await listing.list(some, (name) => names.add(name), signal)
  return names
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
