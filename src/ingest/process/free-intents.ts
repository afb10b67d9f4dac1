import type { Intents } from '#src/ports/ledger.ts'

/**
 * The intents of a parser that charges nothing. One that is left of this document, or of a dead process, is in doubt for
 * no credits: it is settled before the next, so that it is neither counted as ambiguous nor held.
 */
export function freeIntents(intents: Intents): Intents {
  return {
    begin: async (id, key) => {
      await intents.settle(id, key)
      return intents.begin(id, key)
    },
    release: (id, key) => intents.release(id, key),
    clear: (id) => intents.clear(id),
    stands: (id) => intents.stands(id),
    settle: (id, key) => intents.settle(id, key),
  }
}
