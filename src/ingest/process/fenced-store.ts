import { ClaimLost } from '#src/document/claim-lost.ts'
import { withMethods } from '#src/document/with-methods.ts'
import type { Claim } from '#src/ports/ledger.ts'
import type { OutputStore } from '#src/ports/output-store.ts'

/**
 * A decorator: a store that commits only while the worker holds its claim on the document; else it throws `ClaimLost` (fencing).
 * A worker may stand still between the answer and its commit, so the record has the number of the claim: the store refuses one
 * that is lower than that of the present record.
 */
export function fencedStore(store: OutputStore, claim: Claim): OutputStore {
  return withMethods(store, {
    commit: async (record, files) => {
      if (!(await claim.stillHeld())) throw new ClaimLost('another worker took this document over')
      try {
        await store.commit({ ...record, claim: claim.number }, files)
      } catch (error) {
        if (!(error instanceof ClaimLost) || !(await claim.stillHeld())) throw error
        // A record that was put back from a copy of the store in which claims went on.
        const { epoch, number } = (await store.readRecord(record.key))?.claim ?? claim.number
        await store.commit({ ...record, claim: { epoch, number: number + 1 } }, files)
      }
    },
  })
}
