/**
 * The store's surroundings failed (disk full, read-only, no permission, bucket closed): never a document's fault, and
 * the same for every other. Somebody can mend it, so whoever has something to write holds it and tries again.
 */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable' as const
}
