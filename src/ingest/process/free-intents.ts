import type { ReceiptId } from '#src/document/ids.ts'
import type { Intents } from '#src/ports/ledger.ts'

/**
 * The intents of a parser that charges nothing. One that is left of this document, or of a dead process, is in doubt for
 * no credits: it is concluded before the next, so that it is neither counted as ambiguous nor held. They have names of
 * their own: an intent of the service for the same bytes is in doubt for credits, and stays.
 */
export function freeIntents(intents: Intents): Intents {
  return {
    begin: async (id, key) => {
      await intents.conclude(freeId(id), key)
      return intents.begin(freeId(id), key)
    },
    release: (id, key) => intents.release(freeId(id), key),
    clear: (id) => intents.clear(freeId(id)),
    stands: (id) => intents.stands(freeId(id)),
    conclude: (id, key) => intents.conclude(freeId(id), key),
  }
}

const freeId = (id: ReceiptId): ReceiptId => `${id}-embedded` as ReceiptId
