/**
 * The store's environment failed (disk full, read-only, no permission, bucket closed): never a document's fault, and
 * the same for all documents. An operator can repair it, so a writer keeps its data and retries.
 */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable' as const
}
