/**
 * The store, the source and the ledger do not belong together, or what was named is no store. Thrown before anything is
 * written or sent; the message says what to type instead.
 */
export class StoreRefused extends Error {
  override name = 'StoreRefused' as const
}
