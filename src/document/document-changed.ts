/** The bytes under a document changed while they were read: start again, never mix two versions. */
export class DocumentChanged extends Error {
  override name = 'DocumentChanged' as const
}
