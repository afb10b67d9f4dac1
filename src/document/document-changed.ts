/** The bytes of a document changed during the read: the worker starts over and never mixes two versions. */
export class DocumentChanged extends Error {
  override name = 'DocumentChanged' as const
}
