/** Another worker holds the document by now: this one must write nothing more of it. */
export class ClaimLost extends Error {
  override name = 'ClaimLost' as const
}
