/**
 * The store, the source and the ledger do not belong together, or the named folder is not a store. Thrown before any
 * write or request; the message names the right command.
 */
export class StoreRefused extends Error {
  override name = 'StoreRefused' as const
}
