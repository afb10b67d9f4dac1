/** Something in the folder of a store that no record, receipt or dead letter explains. */
export interface Orphan {
  /**
   * - `foreign`: in the folders of the store. May be a user's own file.
   * - `leftover`: of a write that its process did not finish; `recover` ends it.
   * - `beside`: next to those folders. Belongs to its owner and is left alone.
   */
  readonly kind: 'foreign' | 'leftover' | 'beside'
  /** Relative to the store. */
  readonly path: string
  /** Says after the path what it is, in a few words. */
  readonly reason: string
}
