import type { SourceKey } from '#src/document/ids.ts'
import type { LedgerEntry } from '#src/document/ledger-entry.ts'
import type { OutputStore } from '#src/ports/output-store.ts'
import { mayPass } from './decide-change.ts'

/** Whether an unchanged document is sent again because it did not cause its failure; without a dead letter, it is. */
export async function failedByChance(
  key: SourceKey,
  known: LedgerEntry | null,
  { store }: { readonly store: Pick<OutputStore, 'readDeadLetter'> },
): Promise<boolean> {
  if (known?.outcome !== 'failed') return false
  const letter = await store.readDeadLetter(key)
  return letter === null || mayPass(letter.failure.code)
}
