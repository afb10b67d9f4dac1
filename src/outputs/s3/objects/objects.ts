export interface StoredObject {
  readonly bytes: Buffer
  readonly etag: string
  /** Epoch milliseconds, by the clock of the store. */
  readonly modifiedAt: number
}

export interface ListedObject {
  readonly name: string
  /** Epoch milliseconds, by the clock of the store. */
  readonly modifiedAt: number
  readonly etag: string
}

/** Begins behind one name, and need not go on behind another. */
export interface NameRange {
  readonly after: string
  readonly upTo: string | null
}

/** When a write may happen: only where nothing is, or only over the object that has this ETag. */
export type Condition = { readonly only: 'absent' } | { readonly only: 'over'; readonly etag: string }

/** Objects of a store by name, each alone in a bucket or several in a pack. Names are relative to the store. */
export interface Objects {
  /** Whether `list` goes by names, so that ranges of them can be listed side by side. */
  readonly listsInOrder: boolean
  get(name: string): Promise<StoredObject | null>
  has(name: string): Promise<boolean>
  /** Atomic and durable: the object is there whole, or not at all. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** As `put`; says whether the condition held and the object was written. */
  putIf(name: string, bytes: Uint8Array, condition: Condition): Promise<boolean>
  /** Repeatable: what is not there is no error. */
  remove(names: readonly string[]): Promise<void>
  /** Removes it where it was not written since a listing said so; says whether it is gone. */
  removeUnchanged(name: string, modifiedAt: number): Promise<boolean>
  list(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly string[]>
  /** As `list`, with the moment of each object's last write. */
  listObjects(folder: string, signal?: AbortSignal, range?: NameRange): AsyncGenerator<readonly ListedObject[]>
}
