/** A file or folder in a store that no record, receipt or dead letter refers to. */
export interface Orphan {
  /**
   * - `foreign`: in the folders of the store. May be a user's own file.
   * - `leftover`: of a write that its process did not finish; `recover` completes or removes it.
   * - `beside`: next to those folders. Belongs to its owner; Sluice leaves it alone.
   */
  readonly kind: 'foreign' | 'leftover' | 'beside'
  /** Relative to the store. */
  readonly path: string
  /** Short description, which follows the path in messages. */
  readonly reason: string
}
