export interface StoredLease {
  readonly text: string
  /** Changes with each write. */
  readonly version: string
}

/** Where a store keeps the lease of its queue: one small file, written by compare-and-swap. */
export interface LeaseStorage {
  /** Between two renewals: what a store bears without cost. */
  readonly beatMs: number
  read(): Promise<StoredLease | null>
  /** Over the version that was read, or null for none; false, and nothing written, where another process was first. */
  write(text: string, over: string | null): Promise<boolean>
}
