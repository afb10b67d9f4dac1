import { skipLabel, skipReasonOf } from '#src/document/skip.ts'
import type { Ledger } from '#src/ports/ledger.ts'

/** Skipped files by extension or reason (`skipLabel`). Streams the whole ledger. */
export async function skippedOf(ledger: Ledger, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const skipped = new Map<string, number>()
  for await (const [key, { outcome, version }] of ledger.entries(signal)) {
    const reason = outcome === 'skipped' ? skipReasonOf(version) : null
    if (reason === null) continue
    const label = skipLabel(key, reason)
    skipped.set(label, (skipped.get(label) ?? 0) + 1)
  }
  return skipped
}
