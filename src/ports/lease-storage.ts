export interface StoredLease {
  readonly text: string
  /** Changes with each write. */
  readonly version: string
}

/** Storage of the queue's lease in a store: one small file, written by compare-and-swap. */
export interface LeaseStorage {
  /** Heartbeat interval in milliseconds: a store can bear this rate at no cost. */
  readonly beatMs: number
  read(): Promise<StoredLease | null>
  /**
   * Replaces the version `over`; null means no lease yet. Returns false and writes nothing if another process was
   * first.
   */
  write(text: string, over: string | null): Promise<boolean>
}
