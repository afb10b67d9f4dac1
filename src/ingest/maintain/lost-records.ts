import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import type { SourceKey } from '#src/document/ids.ts'
import { mapInOrder } from '#src/kit/map-in-order.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OutputStore, RecordListing } from '#src/ports/output-store.ts'
import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import { batchesOf } from '#src/kit/batched-stream.ts'
import { KeySet } from '#src/kit/key-set.ts'
import { mismatchReason, isDone, hasAllReceipts, markPending } from '../document/disagreement.ts'

const BATCH = 500

interface LostDeps {
  readonly ledger: Ledger
  readonly store: Pick<OutputStore, 'receipts' | 'documents'>
}

type Entry = readonly [SourceKey, LedgerEntry]

/**
 * Threshold: from this number of documents on, records are listed if possible. A page of 1,000 names is one request.
 */
const LISTED_FROM = 1_000

/** Number of keys that divide a listing into ranges. */
const SAMPLE = 2_000

/** Maximum number of records to read; the cheap check of the others is their existence. */
const MAX_READ = 10_000

/** Number of records read concurrently. */
const AT_ONCE = 16

interface LostOptions {
  readonly listedFrom?: number
  readonly mostRead?: number
  /** Selects the part of a larger store to read; each turn reads the next part. */
  readonly turn?: number
  /** Documents whose records were just read. With it, all others are read, and no check stops at existence. */
  readonly recorded?: KeySet
}

/**
 * Documents that are done in the ledger, but have no record in the store, or a wrong one: damaged, or of another
 * document, version or recipe. Something outside Sluice removed or altered it. Each is verified separately before it is
 * reported.
 */
export async function* lostRecords(
  { ledger, store }: LostDeps,
  signal: AbortSignal,
  { listedFrom = LISTED_FROM, mostRead = MAX_READ, turn = 0, recorded }: LostOptions = {},
): AsyncGenerator<Entry> {
  const { listing } = store.documents
  const { done, partial, gone } = await ledger.counts()
  const total = done + partial + gone
  const names =
    recorded !== undefined || listing === null || total < listedFrom ? null : await listed(listing, ledger, signal)
  const parts = Math.ceil(total / mostRead)
  // A bucket writes complete objects, and each read of one costs a request.
  const isRead = (key: SourceKey): boolean =>
    recorded === undefined ? names === null && crc32(key) % parts === turn % parts : !recorded.has(key)
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) {
    const suspects = batch.filter(([key, entry]) => isDone(entry) && !names?.has(listing?.nameOf(key) ?? ''))
    const [read, others] = [suspects.filter(([key]) => isRead(key)), suspects.filter(([key]) => !isRead(key))]
    const have = recorded === undefined ? await store.documents.have(others.map(([key]) => key)) : []
    for (const [at, entry] of others.entries()) if (have[at] === false) yield entry
    for await (const entry of mapInOrder(read, AT_ONCE, (one) => lostOrNull(one, { ledger, store }))) {
      if (entry !== null) yield entry
    }
  }
}

async function lostOrNull(entry: Entry, { ledger, store }: LostDeps): Promise<Entry | null> {
  const [key, known] = entry
  const record = await store.documents.read(key)
  const isWhole = record !== null && (known.version === GONE || mismatchReason(record, known) === null)
  if (isWhole || (record !== null && !(await hasAllReceipts(record, store.receipts)))) return null
  // Throws if the store is unavailable.
  if (record === null) await store.documents.have([key])
  // A worker may have committed it in between.
  const [present = null] = await ledger.read([key])
  return isDeepStrictEqual(present, known) ? entry : null
}

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

/** Makes the next scan redo them, from their receipts if they exist. Returns their keys. */
export async function renewLost(deps: LostDeps, turn: number, signal: AbortSignal): Promise<readonly SourceKey[]> {
  const lost: SourceKey[] = []
  for await (const [key, entry] of lostRecords(deps, signal, { turn })) {
    lost.push(key)
    if (entry.version === GONE) await deps.ledger.forget([key])
    else await markPending(key, entry, deps.ledger)
  }
  return lost
}
