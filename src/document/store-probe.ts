/** Result of a test write to a store and its removal. */
export interface StoreProbe {
  /** A sentence for the operator if the store works with restrictions; else null. */
  readonly warning: string | null
}
