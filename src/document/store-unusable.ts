/**
 * The store's surroundings failed (disk full, read-only, no permission, bucket closed): never a document's fault, and
 * the same for every other. An operator can repair it, so a writer keeps what it has to write and tries again.
 */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable' as const
}
