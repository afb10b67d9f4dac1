import { skipLabel, skipReasonOf } from '#src/document/skip.ts'
import type { Ledger } from '#src/ports.ts'
import { GONE } from './decide-change.ts'

/** What the counts by outcome do not tell. */
export interface LedgerNotes {
  /** Documents that are marked as gone, their outputs kept. */
  readonly gone: number
  /** Skipped files by extension or reason (`skipLabel`). */
  readonly skipped: ReadonlyMap<string, number>
}

/** Streams the whole ledger. */
export async function ledgerNotes(ledger: Ledger, signal: AbortSignal): Promise<LedgerNotes> {
  let gone = 0
  const skipped = new Map<string, number>()
  for await (const [key, { outcome, version }] of ledger.entries(signal)) {
    if (version === GONE) gone += 1
    const reason = outcome === 'skipped' ? skipReasonOf(version) : null
    if (reason === null) continue
    const label = skipLabel(key, reason)
    skipped.set(label, (skipped.get(label) ?? 0) + 1)
  }
  return { gone, skipped }
}
