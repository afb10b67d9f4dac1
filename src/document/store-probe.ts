/** What a write to a store, and its removal, came to. */
export interface StoreProbe {
  /** One sentence for the operator: the store works, but not as it should. Null when all is well. */
  readonly warning: string | null
}
