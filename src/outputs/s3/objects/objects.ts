export interface StoredObject {
  readonly bytes: Buffer
  readonly etag: string
  /** Epoch milliseconds of the store's clock. */
  readonly modifiedAt: number
}

export interface ListedObject {
  readonly name: string
  /** Epoch milliseconds of the store's clock. */
  readonly modifiedAt: number
  readonly etag: string
}

/** Starts after one name, and may stop after another. */
export interface NameRange {
  readonly after: string
  readonly upTo: string | null
}

/** Condition of a write: no object exists, or the object has this ETag. */
export type Condition = { readonly kind: 'absent' } | { readonly kind: 'unchanged'; readonly etag: string }

/** Objects of a store by name, each separate in a bucket, or several in a pack. Names are relative to the store. */
export interface Objects {
  /** True if `list` goes by names, so that callers can list ranges concurrently. */
  readonly listsInOrder: boolean
  get(name: string): Promise<StoredObject | null>
  has(name: string): Promise<boolean>
  /** Atomic and durable: the complete object, or none. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Like `put`; returns true if the condition held and the object was written. */
  putIf(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean>
  /** Idempotent: a missing object is not an error. */
  remove(names: readonly string[]): Promise<void>
  /** Removes the object if its last write is still the listed one. Returns true if it is gone. */
  removeUnchanged(name: string, modifiedAt: number): Promise<boolean>
  list(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly string[]>
  /** Like `list`, with the time of each object's last write. */
  listObjects(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly ListedObject[]>
}
