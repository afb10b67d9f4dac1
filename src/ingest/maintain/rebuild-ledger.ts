import { GONE, type LedgerEntry } from '#src/document/ledger-entry.ts'
import type { DeadLetter } from '#src/document/record.ts'
import { NO_RECIPE, type SourceKey } from '#src/document/ids.ts'
import { belongsTo } from '#src/document/store-manifest.ts'
import { batchesOf } from '#src/document/batched-stream.ts'
import { parserOfRecord } from '../process/find-receipt.ts'
import type { Ledger } from '#src/ports/ledger.ts'
import type { OwnedStore } from '../process/deps.ts'

const BATCH = 500

export interface RebuildDeps extends OwnedStore {
  readonly ledger: Ledger
}

export interface Completed {
  /** Documents that the ledger did not know, or did not know to be done. */
  readonly documents: number
  /** Credits that the store's records say were spent in the present month (UTC), of all sources. */
  readonly spentThisMonth: number
}

/**
 * Completes the ledger from the store (Law 4): Redis may be lost or rolled back, the store shows what is done. May go on
 * beside scans and workers: what they know better stays. A dead letter wins over an older record of the same key; a
 * record for the same version was committed after it. What other sources put into the same store is theirs: this source
 * would take it for gone.
 */
export async function completeLedger(deps: RebuildDeps, now: Date, signal: AbortSignal): Promise<Completed> {
  const month = now.toISOString().slice(0, 7)
  const adopting = new Adopting(deps.ledger)
  let spentThisMonth = 0
  // Letters first: an entry that is there stays.
  for await (const letter of deps.store.listDeadLetters(signal)) {
    if (belongsTo(letter, deps.owner)) await adopting.add(letter.key, await letterEntry(letter, deps))
  }
  for await (const record of deps.store.listRecords(signal)) {
    const { key, version, recipeHash, outcome, goneAt, cost } = record
    if (cost.basis !== 'saved' && record.finishedAt.startsWith(month)) spentThisMonth += cost.credits
    if (!belongsTo(record, deps.owner)) continue
    const isLocal = (await parserOfRecord(record, deps.store)).class === 'embedded'
    await adopting.add(key, { version: goneAt === undefined ? version : GONE, recipeHash, outcome, isLocal })
  }
  return { documents: await adopting.end(), spentThisMonth }
}

/** Makes the ledger from the store alone, whatever it said before: what was pending is found again by the next scan. */
export async function rebuildLedger(deps: RebuildDeps, now: Date, signal: AbortSignal): Promise<number> {
  const { ledger } = deps
  for await (const batch of batchesOf(ledger.entries(signal), BATCH)) await ledger.forget(batch.map(([key]) => key))
  return (await completeLedger(deps, now, signal)).documents
}

/** Null where a record came after the letter. */
async function letterEntry(letter: DeadLetter, { store }: RebuildDeps): Promise<LedgerEntry | null> {
  const { key, version, lastAt, recipeHash } = letter
  const record = await store.readRecord(key)
  if (record !== null && record.version === version && record.finishedAt > lastAt) return null
  return { version, recipeHash: recipeHash ?? NO_RECIPE, outcome: 'failed' }
}

/** Entries on their way into the ledger, in batches. */
class Adopting {
  readonly #ledger: RebuildDeps['ledger']
  #batch: (readonly [SourceKey, LedgerEntry])[] = []
  #adopted = 0

  constructor(ledger: RebuildDeps['ledger']) {
    this.#ledger = ledger
  }

  async add(key: SourceKey, entry: LedgerEntry | null): Promise<void> {
    if (entry !== null) this.#batch.push([key, entry])
    if (this.#batch.length >= BATCH) await this.end()
  }

  /** Returns how many were written in all. */
  async end(): Promise<number> {
    if (this.#batch.length > 0) this.#adopted += await this.#ledger.adopt(this.#batch)
    this.#batch = []
    return this.#adopted
  }
}
