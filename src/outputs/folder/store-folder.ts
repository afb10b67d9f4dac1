/** The folder of a store, as what lists or makes folders below it needs to know it. */
export interface StoreFolder {
  readonly root: string
  /** Folder of the segments of all processes' journals; it is not there before the first one. */
  readonly journal: string
  /** Throws where the folder is not in the store that was opened; the other one does so at once. */
  readonly checkStore: () => Promise<void>
  readonly checkStoreNow: () => void
}
