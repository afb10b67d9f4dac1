/** The source's surroundings failed (bucket gone or closed, store not reached): never a document's fault. */
export class SourceUnusable extends Error {
  override name = 'SourceUnusable' as const
}
