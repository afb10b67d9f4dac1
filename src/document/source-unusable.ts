/** The source's environment failed (bucket gone or closed, store unreachable): never a document's fault. */
export class SourceUnusable extends Error {
  override name = 'SourceUnusable' as const
}
