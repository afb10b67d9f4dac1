import type { Adopted } from '#src/ingest/scan/claim-store.ts'
import type { Migrated } from './migrate-former.ts'

/** What an earlier release left in store and Redis; null where there was nothing. */
interface TakenOver {
  readonly adopted: Adopted | null
  readonly migrated: Migrated | null
}

/** What the ledger lacked and the store has. */
export function reportRecovered(opened: TakenOver, found: number, say: (line: string) => void): void {
  const { adopted, migrated } = opened
  // A plan leaves an empty ledger, which is nothing that was taken over.
  const moved = (migrated?.jobs ?? 0) + (migrated?.inDoubt ?? 0) > 0 || (migrated !== null && found > 0)
  if (adopted !== null || moved) say(migrationLine(opened, found))
  else if (found > 0) say(`the ledger was not complete: ${found} documents were found in the store`)
}

/** One line on what an earlier release left, and what became of it. */
function migrationLine({ adopted, migrated }: TakenOver, found: number): string {
  const store = adopted === null ? '' : `${adopted.documents} documents and ${adopted.failures} failures in the store, `
  const { jobs, inDoubt } = migrated ?? { jobs: 0, inDoubt: 0 }
  return (
    `taken over from an earlier release: ${store}${found} documents of this source into the ledger, ` +
    `${jobs} waiting in the queue, ${inDoubt} requests in doubt`
  )
}
